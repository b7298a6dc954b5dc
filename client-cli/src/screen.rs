//! stub
use crate::exit::Exit;
use crate::run::Plan;
pub async fn run(plan: Plan) -> std::io::Result<Exit> {
    crate::plain::run(plan, false).await
}

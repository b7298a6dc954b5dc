//! `fibfob forget-me`: the server forgets the user for good.

use fibfob_protocol::{PlayerName, RequestBody};
use fibfob_theory::{Exit, Failure};

use crate::app::UserRole;
use crate::args::ForgetArgs;
use crate::names::guest_name;
use crate::questions::Questions;
use crate::run::RunSetup;

pub async fn run(args: &ForgetArgs) -> Result<Exit, Failure> {
    let mut setup = RunSetup::new(&args.common, None, UserRole::Watcher)?;
    let at = setup.server.authority().to_owned();
    let (Some(mut file), Some(_)) = (setup.identity.take(), &setup.token) else {
        return Err(format!("you have no identity at {at}; there is nobody to forget").into());
    };
    let mut questions = Questions::of(&setup);
    let welcome = questions.greeting().await?;
    let name = PlayerName::try_from(welcome.name).unwrap_or_default();
    let name = guest_name(welcome.guest, &name);
    questions.show(&format!(
        "{at} is to forget {name}. The name goes from all your matches, and so do your chat lines,\n\
         your codes for other devices and your identity there, on every device. Matches in play end:\n\
         your opponent wins. Your moves stay, under \"a former player\". Nobody can undo it.\n"
    ))?;
    if !args.yes {
        let unasked = "nothing is forgotten yet; with --yes it is";
        questions.agree("nothing was forgotten", unasked).await?;
    }
    let guest = welcome.guest;
    questions.order(RequestBody::ForgetMe { guest }).await?;
    let removed = file.remove(&setup.server);
    removed.map_err(|error| format!("{at} has forgotten you; the identity here stays: {error}"))?;
    questions.show(&format!("{at} has forgotten you\n"))?;
    questions.close().await
}

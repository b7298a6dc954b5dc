//! HTTP: the web page, the WebSocket upgrade, and the endpoints of an operator's tools.

mod documents;
mod health;
mod metrics;
mod page_routes;
mod qr_code;
mod state;
mod upgrade;

use std::sync::Arc;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{Extension, Request, State};
use axum::http::header::{
    CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use fibfob_net::address_guard::Spent;
use fibfob_net::admission::ConnectionPermit;
use fibfob_net::gate::Gate;
use fibfob_net::listener::{too_many_bytes, too_much_time};
use fibfob_net::origin::{Origin, is_own};
use fibfob_net::refusals::RefusedFor;
use fibfob_page::JPEG;
use tokio::time::{Instant, timeout};

pub(crate) use self::state::HttpState;
use crate::limits::{REQUEST_TIME, TURN_WITHIN};

/// The page may load from this server and connect to it, and no site may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Devices and abilities of the browser that the page never uses.
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), \
                           usb=()";

/// For how long a browser that has seen TLS insists on it, in seconds.
const A_YEAR: &str = "max-age=31536000";

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// About how long a response's head is, in bytes.
const HEAD_BYTES: usize = 512;

/// The handler of a path.
type Handler = fn() -> MethodRouter<Arc<HttpState>>;

/// The paths of the page, its pictures and documents, and of the WebSocket.
const CLIENTS_ROUTES: [(&str, Handler); 22] = [
    ("/", || get(page_routes::index)),
    ("/m/{code}", || get(page_routes::match_page)),
    ("/m/{code}/", || get(page_routes::match_page)),
    ("/m/{code}/qr.svg", || get(qr_code::show)),
    ("/preview/{picture}", || get(page_routes::preview)),
    ("/device", || get(page_routes::device)),
    ("/learn", || get(page_routes::index)),
    ("/learn/{lesson}", || get(page_routes::index)),
    ("/puzzle/{game}/{grade}/{seed}", || get(page_routes::index)),
    ("/today", || get(page_routes::index)),
    ("/analyse", || get(page_routes::index)),
    ("/contact", || get(page_routes::operators_text)),
    ("/imprint", || get(page_routes::operators_text)),
    ("/privacy", || get(page_routes::operators_text)),
    ("/device/qr.svg", || get(qr_code::show_device_link)),
    ("/page/{name}/{*path}", || get(page_routes::file)),
    ("/api/games", || get(documents::games)),
    ("/api/lessons", || get(documents::lessons)),
    ("/protocol/fibfob.v1.schema.json", || get(documents::schema)),
    ("/protocol/fibfob.json-lines.schema.json", || {
        get(documents::lines_schema)
    }),
    ("/protocol/PROTOCOL.md", || get(documents::protocol)),
    ("/ws", || get(upgrade::open)),
];

/// The path of the metrics, on the port of the clients and on one of its own.
const METRICS_HERE: (&str, Handler) = ("/metrics", || get(metrics::show_here));
const METRICS: (&str, Handler) = ("/metrics", || get(metrics::show));

/// The other paths of an operator's tools.
const OPERATORS_ROUTES: [(&str, Handler); 2] = [
    ("/healthz", || get(health::alive)),
    ("/readyz", || get(health::ready)),
];

/// Returns all paths that a server answers, with the names of their parts in braces.
pub fn paths() -> impl Iterator<Item = &'static str> {
    let routes = CLIENTS_ROUTES.iter().chain([&METRICS]);
    let routes = routes.chain(&OPERATORS_ROUTES);
    routes.map(|(path, _)| *path)
}

/// The router for clients; with `/metrics` if they are served on the same port.
pub(crate) fn router(state: Arc<HttpState>, with_metrics: bool) -> Router {
    let metrics = with_metrics.then_some(&METRICS_HERE);
    let routes = CLIENTS_ROUTES.iter().chain(metrics);
    let routes = routes.chain(&OPERATORS_ROUTES);
    serving(routes, state, page_routes::nothing)
}

/// The router of a separate port for an operator's tools.
pub(crate) fn operators_router(state: Arc<HttpState>) -> Router {
    let nothing = async || (StatusCode::NOT_FOUND, "nothing here; see /metrics\n");
    let routes = OPERATORS_ROUTES.iter().chain([&METRICS]);
    serving(routes, state, nothing)
}

/// Returns the router for plain HTTP on a TLS port. It answers probes only, which need no certificate.
pub(crate) fn plain_router(state: Arc<HttpState>) -> Router {
    let why = "TLS is spoken here: the address begins with https://, or with wss://; for Prometheus, the operator names another \
               port with --metrics-listen\n";
    let nothing = async move || (StatusCode::BAD_REQUEST, [(CONNECTION, "close")], why);
    let probes = OPERATORS_ROUTES.iter().filter(|route| route.0 != METRICS.0);
    serving(probes, state, nothing)
}

fn serving<'a, T: 'static>(
    routes: impl Iterator<Item = &'a (&'static str, Handler)>,
    state: Arc<HttpState>,
    nothing: impl axum::handler::Handler<T, Arc<HttpState>>,
) -> Router {
    let add = |router: Router<_>, (path, handler): &(&str, Handler)| router.route(path, handler());
    routes
        .fold(Router::new(), add)
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(Arc::clone(&state), account))
        .with_state(state)
}

/// Lets a request in when it is its address's turn. Charges the address for the answer's processor time and bytes.
async fn account(
    State(state): State<Arc<HttpState>>,
    Extension(permit): Extension<ConnectionPermit>,
    mut request: Request,
    next: Next,
) -> Response {
    let account = permit.account(request.headers());
    request.extensions_mut().insert(account.clone());
    let mut gate = Gate::new(&state.app.turns, account.clone());
    gate.computed(REQUEST_TIME);
    if timeout(TURN_WITHIN, gate.enter(false)).await.is_err() {
        state.app.refused(&account, RefusedFor::TooMuchTime);
        return too_much_time();
    }
    gate.run(async {
        if account.check(Spent::Bytes, Instant::now()).is_err() {
            state.app.refused(&account, RefusedFor::TooManyBytes);
            return too_many_bytes();
        }
        let mut response = match check_host(&request, &state.allow_origins) {
            Ok(()) => next.run(request).await,
            Err(refused) => {
                state.app.refused(&account, RefusedFor::WrongHost);
                refused.into_response()
            }
        };
        secure(response.headers_mut(), state.tls.is_some());
        let body = response.body().size_hint().lower();
        let bytes = usize::try_from(body).unwrap_or(usize::MAX);
        account.sent(bytes.saturating_add(HEAD_BYTES), Instant::now());
        response
    })
    .await
}

/// Checks that a request names this server in its `Host` header. Programs that speak HTTP/1.0 need not have one.
fn check_host(request: &Request, allowed: &[Origin]) -> Result<(), (StatusCode, &'static str)> {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (Some(host), None) if host.to_str().is_ok_and(|host| is_own(host, allowed)) => Ok(()),
        (Some(_), None) => Err((
            StatusCode::FORBIDDEN,
            "this name is not the server's; use its address, localhost, or --public-url\n",
        )),
        _ => Err((
            StatusCode::BAD_REQUEST,
            "expected one header `Host`, with the server's address\n",
        )),
    }
}

/// Adds the security headers of every response.
fn secure(headers: &mut HeaderMap, has_tls: bool) {
    // The policies only matter for documents. They are longer than some of the modules and styles.
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::to_str);
    let kind = kind.and_then(Result::ok).unwrap_or("");
    let part_of_a_document = kind.starts_with("text/css") || kind.starts_with("text/javascript");
    // Other sites' pages may show the pictures of links.
    let for_others = kind == JPEG;
    let mut set = |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    if !part_of_a_document {
        set(CONTENT_SECURITY_POLICY, POLICY);
        set(PERMISSIONS_POLICY, PERMISSIONS);
        set(OPENER_POLICY, "same-origin");
        if has_tls {
            set(STRICT_TRANSPORT_SECURITY, A_YEAR);
        }
    }
    if !for_others {
        set(RESOURCE_POLICY, "same-origin");
    }
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
}

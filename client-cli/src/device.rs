//! `fibfob device`: a code that makes another device the same guest, and the way back.

use std::io::{self, IsTerminal};

use fibfob_client::ServerUrl;
use fibfob_protocol::{DeviceCode, Identity, PlayerName, RequestBody, ServerMessage};
use fibfob_theory::{Exit, Failure};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::app::UserRole;
use crate::args::DeviceArgs;
use crate::names::guest_name;
use crate::questions::{OTHER_ANSWER, Questions};
use crate::run::RunSetup;
use crate::storage::{ConfigurationFile, IdentityFile};

/// Shows a code, or takes the identity that one stands for, or signs out other devices.
pub async fn run(args: &DeviceArgs) -> Result<Exit, Failure> {
    let mut setup = RunSetup::new(&args.common, None, UserRole::Watcher)?;
    let at = setup.server.authority().to_owned();
    let Some(mut file) = setup.identity.take() else {
        return Err("--guest keeps no identity, so that none can be moved".into());
    };
    let is_known = setup.token.is_some();
    if let Some(code) = &args.code {
        if is_known && !args.replace {
            return Err(format!(
                "you have an identity at {at} already; --replace gives it up for that of the \
                 other device, with all matches that only this one has"
            )
            .into());
        }
        return take(&setup, args, code.join(" "), file).await;
    }
    if !is_known {
        return Err(format!("you have no identity at {at} yet; `fibfob play` makes one").into());
    }
    let mut questions = Questions::of(&setup);
    let public = questions.greeting().await?.public_url;
    let public = public.and_then(|url| url.parse().ok());
    let server = public.as_ref().unwrap_or(&setup.server);
    if args.sign_out_others {
        let identity = ask_identity(&mut questions, RequestBody::Identity { renew: true }).await?;
        let token = identity.token.ok_or(NO_TOKEN)?;
        file.save(&setup.server, &token).map_err(|error| {
            format!("nobody was signed out, the new token cannot be kept: {error}")
        })?;
        // The new token is kept; its first use signs out all others.
        questions.close().await?;
        questions = Questions::open(&args.common)?;
        let identity = ask_identity(&mut questions, RequestBody::Identity { renew: false }).await?;
        let text = "all your other devices are signed out\n";
        questions.show_secret(text, &ServerMessage::Identity(identity), &["token"])?;
    } else {
        let answer = questions.ask(RequestBody::DeviceCode).await?;
        let ServerMessage::DeviceCode(code) = answer else {
            return Err(OTHER_ANSWER.into());
        };
        let text = write_code(&code, server);
        questions.show_secret(&text, &ServerMessage::DeviceCode(code), &[])?;
    }
    questions.close().await
}

/// Said if the server answers about an identity without its token, which is the server's fault.
const NO_TOKEN: &str = "the server's answer lacks the identity's token";

async fn ask_identity(
    questions: &mut Questions,
    request: RequestBody,
) -> Result<Identity, Failure> {
    match questions.ask(request).await? {
        ServerMessage::Identity(identity) => Ok(identity),
        _ => Err(OTHER_ANSWER.into()),
    }
}

/// Takes the identity that a code stands for, after the user has agreed.
async fn take(
    setup: &RunSetup,
    args: &DeviceArgs,
    code: String,
    mut file: IdentityFile,
) -> Result<Exit, Failure> {
    let mut questions = Questions::of(setup);
    let request = |agree| RequestBody::TakeIdentity {
        code: code.clone(),
        agree,
    };
    if !args.yes {
        let identity = ask_identity(&mut questions, request(false)).await?;
        let name = PlayerName::try_from(identity.name.clone()).unwrap_or_default();
        let name = guest_name(identity.guest, &name);
        let text = format!(
            "This is the code of {name}. If you go on, this machine plays as {name}.\n\
             The device that made the code stays {name} too: it sees the matches that you play here\n\
             and can move in them. Go on only if it is yours.\n"
        );
        questions.show_secret(&text, &ServerMessage::Identity(identity), &[])?;
        let unasked = "nothing is taken yet; with --yes it is";
        questions.agree("nothing was taken", unasked).await?;
    }
    let identity = ask_identity(&mut questions, request(true)).await?;
    let token = identity.token.as_ref().ok_or(NO_TOKEN)?;
    let saved = file.save(&setup.server, token);
    saved.map_err(|error| format!("your identity cannot be kept: {error}"))?;
    let name = PlayerName::try_from(identity.name.clone()).unwrap_or_default();
    let is_kept = setup.common.identity().is_none() && name != PlayerName::default();
    let kept = is_kept.then(|| ConfigurationFile::of_user()?.keep_name(&name));
    let named = match kept {
        Some(Ok(())) => format!("you are {name} here too"),
        None => "you are the same guest here too".to_owned(),
        Some(Err(error)) => {
            format!("you are the same guest here too (its name is not kept: {error})")
        }
    };
    let text = format!("{named}; `fibfob matches` lists your matches\n");
    questions.show_secret(&text, &ServerMessage::Identity(identity), &["token"])?;
    questions.close().await
}

fn write_code(DeviceCode { code, .. }: &DeviceCode, server: &ServerUrl) -> String {
    let link = server.device_page(code);
    let picture = io::stdout().is_terminal().then(|| qr_code(&link)).flatten();
    let server = server.short();
    format!(
        "{code}\n{}\n\
         On the other device open {link}\n\
         or type `fibfob device {code} --server {server}`.\n\
         The code is good for five minutes and once; whoever has it becomes you.\n",
        picture.unwrap_or_default()
    )
}

/// Draws a link's QR code, dark on light whatever the terminal's colours are.
fn qr_code(link: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).ok()?;
    let picture = code.render::<Dense1x2>().build();
    let lines = picture
        .lines()
        .map(|line| format!("\x1b[30;107m{line}\x1b[0m\n"));
    Some(lines.collect())
}

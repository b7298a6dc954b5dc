//! `fibfob device`: a code that makes another device the same guest, and the way back.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use fibfob_client::{ClientEvent, ServerUrl};
use fibfob_protocol::{DeviceCode, Identity, PlayerName, RequestBody, ServerMessage, Welcome};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::args::DeviceArgs;
use crate::complain;
use crate::exit::Exit;
use crate::names::guest_name;
use crate::plain::stdin_lines;
use crate::printed_request::{self, AfterAnswer, PrintedRequest};
use crate::run::{RunSetup, RunSetupError};
use crate::signal::interrupted;
use crate::storage::{ConfigurationFile, IdentityFile};

/// Shows a code, or takes the identity that one stands for, or signs out other devices.
///
/// # Errors
/// Standard output cannot be written to.
pub async fn run(mut setup: RunSetup, args: &DeviceArgs) -> io::Result<Exit> {
    let server = setup.server.clone();
    let is_known = setup.is_known();
    let Some(file) = setup.identity_file() else {
        return no(&"--guest keeps no identity, so that none can be moved");
    };
    if let Some(code) = &args.code {
        if is_known && !args.replace {
            let server = server.authority();
            return no(&format!(
                "you have an identity at {server} already; --replace gives it up for that of the \
                 other device, with all matches that only this one has"
            ));
        }
        return take(setup, args, code.join(" "), file).await;
    }
    if !is_known {
        let server = server.authority();
        return no(&format!(
            "you have no identity at {server} yet; `fibfob play` makes one"
        ));
    }
    if args.feed {
        return printed_request::run(setup, FeedRequest { server }, false).await;
    }
    if !args.sign_out_others {
        let showing = Showing {
            server,
            json: args.common.json,
        };
        return printed_request::run(setup, showing, false).await;
    }
    match printed_request::run(setup, Renewing { file, server }, false).await? {
        Exit::Done => {}
        exit => return Ok(exit),
    }
    // The new token is kept; its first use signs out all others.
    match RunSetup::list(&args.common) {
        Ok(setup) => printed_request::run(setup, SignedOut, false).await,
        Err(fault) => no(&fault),
    }
}

/// Takes the identity that a code stands for, after the user has agreed.
async fn take(
    mut setup: RunSetup,
    args: &DeviceArgs,
    code: String,
    file: IdentityFile,
) -> io::Result<Exit> {
    let server = setup.server.clone();
    if !args.yes {
        let looking = Looking { code: code.clone() };
        match printed_request::run(setup, looking, false).await? {
            Exit::Done => {}
            exit => return Ok(exit),
        }
        if !io::stdin().is_terminal() {
            return no(&"nothing is taken yet; with --yes it is");
        }
        match says_yes().await? {
            Some(true) => {}
            Some(false) => return no(&"nothing was taken"),
            None => return Ok(Exit::Interrupted),
        }
        setup = match RunSetup::list(&args.common) {
            Ok(setup) => setup,
            Err(fault) => return no(&fault),
        };
    }
    let keeps_name = setup.is_own_identity();
    let taking = Taking {
        code,
        file,
        server,
        keeps_name,
    };
    printed_request::run(setup, taking, false).await
}

/// A code that is asked for and printed.
struct Showing {
    server: ServerUrl,
    json: bool,
}

impl PrintedRequest for Showing {
    fn request(&self) -> RequestBody {
        RequestBody::DeviceCode
    }

    fn connected(&mut self, welcome: &Welcome) {
        let public = welcome.public_url.as_ref().and_then(|url| url.parse().ok());
        self.server = public.unwrap_or_else(|| self.server.clone());
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::DeviceCode(code) = event else {
            return None;
        };
        let text = match self.json {
            true => format!("{}\n", ServerMessage::DeviceCode(code.clone()).write()),
            false => self.shown(code),
        };
        Some((text, AfterAnswer::Finish))
    }
}

impl Showing {
    fn shown(&self, DeviceCode { code, .. }: &DeviceCode) -> String {
        let link = self.server.device_page(code);
        let picture = io::stdout().is_terminal().then(|| qr_code(&link)).flatten();
        let server = self.server.short();
        format!(
            "{code}\n{}\n\
             On the other device open {link}\n\
             or type `fibfob device {code} --server {server}`.\n\
             The code is good for five minutes and once; whoever has it becomes you.\n",
            picture.unwrap_or_default()
        )
    }
}

/// The address of the guest's feed.
struct FeedRequest {
    server: ServerUrl,
}

impl PrintedRequest for FeedRequest {
    fn request(&self) -> RequestBody {
        RequestBody::Identity { renew: false }
    }

    fn connected(&mut self, welcome: &Welcome) {
        let public = welcome.public_url.as_ref().and_then(|url| url.parse().ok());
        self.server = public.unwrap_or_else(|| self.server.clone());
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Identity(Identity { secrets, .. }) = event else {
            return None;
        };
        let address = self.server.path_on_server(&secrets.as_ref()?.feed);
        Some((format!("{address}\n"), AfterAnswer::Finish))
    }
}

/// The picture of a link, dark on light whatever the terminal's colours are.
fn qr_code(link: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).ok()?;
    let picture = code.render::<Dense1x2>().build();
    let lines = picture
        .lines()
        .map(|line| format!("\x1b[30;107m{line}\x1b[0m\n"));
    Some(lines.collect())
}

/// The guest that a code stands for, of whom nothing is taken yet.
struct Looking {
    code: String,
}

impl PrintedRequest for Looking {
    fn request(&self) -> RequestBody {
        let (code, agree) = (self.code.clone(), false);
        RequestBody::TakeIdentity { code, agree }
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Identity(Identity { guest, name, .. }) = event else {
            return None;
        };
        let name = PlayerName::try_from(name.clone()).unwrap_or_default();
        let name = guest_name(*guest, &name);
        let text = format!(
            "This is the code of {name}. If you go on, this machine plays as {name}.\n\
             The device that made the code stays {name} too: it sees the matches that you play here\n\
             and can move in them. Go on only if it is yours.\n"
        );
        Some((text, AfterAnswer::Finish))
    }
}

/// Asks on the terminal whether to go on; none if the run is interrupted.
async fn says_yes() -> io::Result<Option<bool>> {
    print!("Type yes to go on: ");
    io::stdout().flush()?;
    let mut lines = stdin_lines();
    tokio::select! {
        line = lines.recv() => Ok(Some(line.is_some_and(|line| line.eq_ignore_ascii_case("yes")))),
        () = interrupted() => Ok(None),
    }
}

/// The identity that a code stands for, which is kept.
struct Taking {
    code: String,
    file: IdentityFile,
    server: ServerUrl,
    /// True if the name is kept as well.
    keeps_name: bool,
}

impl PrintedRequest for Taking {
    fn request(&self) -> RequestBody {
        let (code, agree) = (self.code.clone(), true);
        RequestBody::TakeIdentity { code, agree }
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Identity(Identity { name, secrets, .. }) = event else {
            return None;
        };
        let token = &secrets.as_ref()?.token;
        if let Err(error) = self.file.save(&self.server.to_string(), token) {
            let text = format!("your identity cannot be kept: {error}\n");
            return Some((text, AfterAnswer::Fail));
        }
        let kept = match self.keeps_name {
            true => keep_name(name),
            false => Ok(false),
        };
        let named = match kept {
            Ok(true) => format!("you are {name} here too"),
            Ok(false) => "you are the same guest here too".to_owned(),
            Err(error) => {
                format!("you are the same guest here too (its name is not kept: {error})")
            }
        };
        let text = format!("{named}; `fibfob matches` lists your matches\n");
        Some((text, AfterAnswer::Finish))
    }
}

/// Keeps the guest's name for later runs; returns false if it has none of its own.
fn keep_name(name: &str) -> Result<bool, RunSetupError> {
    match PlayerName::try_from(name.to_owned()) {
        Ok(name) if name != PlayerName::default() => {
            ConfigurationFile::of_user()?.keep_name(&name)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// A new token, which is kept.
struct Renewing {
    file: IdentityFile,
    server: ServerUrl,
}

impl PrintedRequest for Renewing {
    fn request(&self) -> RequestBody {
        RequestBody::Identity { renew: true }
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Identity(Identity { secrets, .. }) = event else {
            return None;
        };
        let token = &secrets.as_ref()?.token;
        match self.file.save(&self.server.to_string(), token) {
            Ok(()) => Some((String::new(), AfterAnswer::Finish)),
            Err(error) => {
                let text =
                    format!("nobody was signed out, the new token cannot be kept: {error}\n");
                Some((text, AfterAnswer::Fail))
            }
        }
    }
}

/// The first connection with the new token.
struct SignedOut;

impl PrintedRequest for SignedOut {
    fn request(&self) -> RequestBody {
        RequestBody::Identity { renew: false }
    }

    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)> {
        let ClientEvent::Identity(_) = event else {
            return None;
        };
        let text = "all your other devices are signed out\n".to_owned();
        Some((text, AfterAnswer::Finish))
    }
}

fn no(why: &dyn Display) -> io::Result<Exit> {
    complain(why);
    Ok(Exit::No)
}

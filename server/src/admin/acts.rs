//! Does operators' commands, and the acts among them.

use fibfob_protocol::{ChatText, Code, GuestId, Notice, PlayerName, Refusal};
use fibfob_store::Hint;

use super::answer::Answer;
use super::command::{Command, Since, TimeLength, shown};
use super::error::AdminError;
use super::queries;
use crate::app::App;
use crate::limits::{BANS_MAX, HIDDEN_MAX, REMATCHES_FOLLOWED_MAX};
use crate::moderation::ban_target::BanTarget;
use crate::moderation::{Act, Ban};

/// Runs a command of the machine's user `by`. An act leaves a line in the log and a row in the store.
///
/// # Errors
/// [`AdminError`]; then nothing was changed, unless the store did not answer.
pub(crate) async fn perform(app: &App, command: Command, by: &str) -> Result<Answer, AdminError> {
    let answer = match run(app, command).await {
        Err(error) if error.is_of_store() => {
            // Its words, such as that the disk is full, say more than that a write failed.
            app.look_at_store().await;
            let looked = app.looked.lock().clone();
            return Err(match looked {
                Err(why) => AdminError::NotStored(error.to_string(), why),
                Ok(_) => error,
            });
        }
        outcome => outcome?,
    };
    if let Answer::Done(what) = &answer {
        note(app, by, what).await;
    }
    Ok(answer)
}

async fn run(app: &App, command: Command) -> Result<Answer, AdminError> {
    match command {
        Command::Matches(filter) => queries::matches(app, filter).await,
        Command::Show { code } => queries::show(app, code).await,
        Command::Guests { name, limit } => queries::guests(app, name.as_deref(), limit).await,
        Command::Person { guest } => queries::person(app, guest).await,
        Command::Stats => queries::stats(app).await,
        Command::Export(filter) => queries::export(app, filter).await,
        Command::Bans => Ok(Answer::Bans(app.moderation.bans().await?)),
        Command::Log { limit } => queries::log(app, limit).await,
        Command::Close { code, reason } => close(app, code, reason).await,
        Command::Say { text } => say(app, text),
        Command::Hide { code } => hide(app, code).await,
        Command::Unhide { code } => {
            app.moderation
                .unhide(app.directory.find(code).await?)
                .await?;
            Ok(Answer::Done(format!("showed {code} again")))
        }
        Command::Ban {
            who,
            time,
            reason,
            yes,
        } => ban(app, who, time, reason, yes).await,
        Command::Unban { who } => unban(app, who).await,
        Command::Rename { guest, name } => rename(app, guest, name).await,
        Command::Forget { guest, yes } => forget(app, guest, yes).await,
        Command::Prune {
            finished_before,
            yes,
        } => prune(app, finished_before, yes).await,
    }
}

async fn close(app: &App, code: Code, reason: String) -> Result<Answer, AdminError> {
    let text = visible(reason)?;
    let reason = text.to_string();
    let id = app.directory.find(code).await?;
    app.directory.stop(id, text).await?;
    Ok(Answer::Done(format!("closed {code}: {reason}")))
}

/// Checks an operator's reason, because other people read it later.
fn visible(reason: String) -> Result<ChatText, AdminError> {
    ChatText::try_from(reason).map_err(|_| AdminError::Reason)
}

/// Tells all sessions of all servers. Nothing is stored but the act, so a client that connects later is not told.
fn say(app: &App, text: String) -> Result<Answer, AdminError> {
    let said = ChatText::try_from(text).map_err(Refusal::Chat)?;
    let (here, words) = (app.sessions.len(), said.to_string());
    if here == 0 && !app.moderation.has_peers() {
        return Err(AdminError::NobodyHere);
    }
    let at = app.clock.now();
    let hint = Hint::Says(Notice { text: said, at });
    fibfob_server_matches::tell(&app.directory, hint, None);
    Ok(Answer::Done(format!(
        "said: {words}; connections here: {here}"
    )))
}

/// Hides a match and the rematches that it has.
async fn hide(app: &App, code: Code) -> Result<Answer, AdminError> {
    let mut id = app.directory.find(code).await?;
    let mut rematches = 0;
    loop {
        if !app.moderation.hide(id).await? {
            return Err(AdminError::Full(HIDDEN_MAX, "hidden matches"));
        }
        let next = match app.directory.read(id).await {
            Ok(read) => read.current.next_match().map(|next| next.id),
            Err(Refusal::Damaged) => None,
            Err(refusal) => return Err(refusal.into()),
        };
        let Some(next) = next.filter(|_| rematches < REMATCHES_FOLLOWED_MAX) else {
            return Ok(Answer::Done(format!("hid {code}; rematches: {rematches}")));
        };
        id = next;
        rematches += 1;
    }
}

async fn ban(
    app: &App,
    who: BanTarget,
    TimeLength(time): TimeLength,
    reason: Option<String>,
    yes: bool,
) -> Result<Answer, AdminError> {
    let reason = reason.map(visible).transpose()?.map(String::from);
    if let BanTarget::Guest(guest) = who {
        must_know(app, guest).await?;
    }
    let since = app.clock.now();
    let until = since.after(time);
    let (end, connections) = (shown(until), app.moderation.connections_of(&who));
    let effect = format!("{who} until {end}; connections of it here: {connections}");
    if !yes {
        return Ok(Answer::Confirm(format!("ban {effect}")));
    }
    let why = reason.as_ref().map(|why| format!(" ({why})"));
    let done = format!("banned {effect}{}", why.unwrap_or_default());
    let ban = Ban {
        who,
        until,
        since,
        reason,
    };
    match app.moderation.ban(&ban).await? {
        true => Ok(Answer::Done(done)),
        false => Err(AdminError::Full(BANS_MAX, "bans")),
    }
}

async fn unban(app: &App, who: BanTarget) -> Result<Answer, AdminError> {
    match app.moderation.unban(&who).await? {
        true => Ok(Answer::Done(format!("ended the ban of {who}"))),
        false => Err(AdminError::NoBan(who.to_string())),
    }
}

async fn rename(app: &App, guest: GuestId, name: String) -> Result<Answer, AdminError> {
    let name = PlayerName::try_from(name).map_err(Refusal::Name)?;
    must_know(app, guest).await?;
    let matches = app.persons.rename(guest, &name).await?;
    Ok(Answer::Done(format!("renamed {guest}; matches: {matches}")))
}

async fn forget(app: &App, guest: GuestId, yes: bool) -> Result<Answer, AdminError> {
    must_know(app, guest).await?;
    // Counted first, because the running server may change some of them before this command does.
    let matches = queries::count_matches_of(app, guest).await?;
    if !yes {
        return Ok(Answer::Confirm(format!(
            "forget {guest} for good; matches: {matches}"
        )));
    }
    // A forgotten guest's tokens are refused anyway, and a ban would keep its id.
    app.moderation.unban(&BanTarget::Guest(guest)).await?;
    let digest = app.persons.forget(guest).await?.0.simple();
    Ok(Answer::Done(format!(
        "forgot a guest, {digest} on the list; matches: {matches}"
    )))
}

/// Checks that a guest exists, because an act on a mistyped id must not look done.
async fn must_know(app: &App, guest: GuestId) -> Result<(), AdminError> {
    if app.moderation.connected().contains_key(&guest) {
        return Ok(());
    }
    let stored = app.persons.data_of(guest).await?;
    match stored.is_empty() {
        true => Err(queries::missing(&stored)),
        false => Ok(()),
    }
}

async fn prune(app: &App, finished_before: Since, yes: bool) -> Result<Answer, AdminError> {
    let before = finished_before.instant(app.clock.now());
    let pruned = app.persons.prune(before, yes).await?;
    let (matches, events, before) = (pruned.matches, pruned.events, shown(before));
    let what = format!("matches: {matches}, events: {events}, before {before}");
    Ok(match yes {
        true => Answer::Done(format!("removed {what}")),
        false => Answer::Confirm(format!("remove {what}")),
    })
}

async fn note(app: &App, by: &str, what: &str) {
    tracing::info!(by, what, "operator command done");
    let act = Act {
        at: app.clock.now(),
        by: by.to_owned(),
        what: what.to_owned(),
    };
    if let Err(error) = app.moderation.note_act(&act).await {
        tracing::error!(%error, what, "operator command was done, but could not be added to the log of acts");
    }
}

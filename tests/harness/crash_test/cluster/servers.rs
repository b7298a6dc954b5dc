//! The game servers of a cluster, each with links of its own to all databases.

use tokio::sync::watch;

use super::shared_database::SharedDatabase;
use crate::Server;
use crate::crash_test::client::ServerAddress;
use crate::link::Link;

/// The servers of the cluster.
pub(super) const SERVERS: usize = 3;

/// The servers.
pub(super) struct Servers {
    members: Vec<Member>,
}

/// A server, the address that its clients see, and its links to the places of the databases.
struct Member {
    server: Server,
    address: watch::Sender<Option<String>>,
    links: Vec<Link>,
}

impl Servers {
    pub(super) async fn start<D: SharedDatabase>(database: &D, connections: usize) -> Self {
        let mut members = Vec::new();
        for _ in 0..SERVERS {
            let mut links = Vec::new();
            for port in database.ports() {
                links.push(Link::to(port).await);
            }
            let ports: Vec<u16> = links.iter().map(Link::port).collect();
            let url = D::url(&ports);
            let options = [
                "--store",
                &url,
                "--snapshot-after",
                "6",
                "--idle-after",
                "1s",
            ];
            let options = [&options[..], D::SERVER_OPTIONS].concat();
            let server = Server::start_with_capacity(connections, &options).await;
            let address = watch::Sender::new(Some(server.address().to_owned()));
            members.push(Member {
                server,
                address,
                links,
            });
        }
        Self { members }
    }

    /// The addresses for clients; none while a server is away.
    pub(super) fn addresses(&self) -> Vec<ServerAddress> {
        let members = self.members.iter();
        members.map(|member| member.address.subscribe()).collect()
    }

    pub(super) fn address(&self, number: usize) -> &str {
        self.members[number].server.address()
    }

    pub(super) async fn kill(&mut self, number: usize) {
        let member = &mut self.members[number];
        member.address.send_replace(None);
        member.server.kill().await;
    }

    pub(super) async fn restart(&mut self, number: usize) {
        let member = &mut self.members[number];
        member.server.restart().await;
        let address = member.server.address().to_owned();
        member.address.send_replace(Some(address));
    }

    /// Ends a server in order: it tells its clients to go elsewhere.
    pub(super) async fn drain(&mut self, number: usize) {
        let member = &mut self.members[number];
        member.address.send_replace(None);
        member.server.terminate().await;
    }

    pub(super) async fn freeze(&self, number: usize) {
        self.members[number].server.signal("-STOP").await;
    }

    pub(super) async fn thaw(&self, number: usize) {
        self.members[number].server.signal("-CONT").await;
    }

    /// Cuts a server off from all databases.
    pub(super) fn cut(&self, number: usize) {
        self.members[number].links.iter().for_each(Link::cut);
    }

    pub(super) fn mend(&self, number: usize) {
        self.members[number].links.iter().for_each(Link::mend);
    }

    /// Cuts all servers off from the database at one place.
    pub(super) fn cut_from(&self, place: usize) {
        let links = self.members.iter().map(|member| &member.links[place]);
        links.for_each(Link::cut);
    }

    pub(super) fn mend_to(&self, place: usize) {
        let links = self.members.iter().map(|member| &member.links[place]);
        links.for_each(Link::mend);
    }

    /// Makes the servers find the databases at their ports.
    pub(super) fn lead_to(&self, ports: &[u16]) {
        for member in &self.members {
            for (link, port) in member.links.iter().zip(ports) {
                link.lead_to(*port);
            }
        }
    }

    /// Waits until each server is ready, and says this when it is asked.
    pub(super) async fn wait_until_all_say(&self, text: &str) {
        for member in &self.members {
            member.server.wait_until_ready_says(text).await;
        }
    }

    pub(super) async fn kill_all(&mut self) {
        for member in &mut self.members {
            member.server.kill().await;
        }
    }
}

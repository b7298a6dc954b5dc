//! Counts a few things per address, anew at each look.

use std::collections::HashMap;

use crate::client_address::ClientAddress;

/// The things that addresses have at one moment, counted also in the wider networks around each.
pub struct AddressTally {
    most: usize,
    counts: HashMap<ClientAddress, usize>,
}

impl AddressTally {
    /// Makes an empty tally; an address may have up to `most`.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            counts: HashMap::new(),
        }
    }

    /// Counts one more of this address. Returns false if the address, or a network around it, has as many as it
    /// may.
    pub fn add(&mut self, address: ClientAddress) -> bool {
        // What finds no room in a network is counted in the narrower ones all the same: whatever else they ask
        // for finds none there either.
        address.networks().all(|network| {
            let count = self.counts.entry(network).or_default();
            *count += 1;
            *count <= network.most(self.most)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn an_address_and_the_networks_around_it_have_their_shares() {
        let mut tally = AddressTally::new(2);
        let mut add = |text: String| tally.add(text.parse::<IpAddr>().unwrap().into());
        let mut counted =
            |texts: Vec<String>| texts.into_iter().filter(|text| add(text.clone())).count();
        assert_eq!(counted(vec!["192.0.2.1".to_owned(); 9]), 2);
        assert_eq!(counted(vec!["192.0.2.2".to_owned()]), 1, "another address");
        assert_eq!(counted(vec!["2001:db8:1:2::1".to_owned(); 9]), 2, "one /64");
        let narrow = (0x10..0x20).map(|last| format!("2001:db8:1:{last:x}::1"));
        assert_eq!(counted(narrow.collect()), 2, "the rest of one /56");
        let wide = (1..0x20).map(|last| format!("2001:db8:1:{last:x}00::1"));
        assert_eq!(counted(wide.collect()), 4, "the rest of one /48");
        assert_eq!(
            counted(vec!["2001:db8:2::1".to_owned()]),
            1,
            "the next customer"
        );
    }
}

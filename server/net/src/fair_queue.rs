//! A queue in which every owner gets an equal share of what is served, however much one of them asks for.
//!
//! Fair queueing by virtual finish times (Demers, Keshav and Shenker, 1989): an owner's tag is the sum of what its
//! entries have cost so far, and the owner whose tag would be the lowest after its next entry is served next. With
//! equal costs this is a rotation. With different costs it is one by cost: an owner of short entries passes by an
//! owner of long ones until both have cost the same. A newcomer begins at the tag that is served at the moment, so
//! that a silence earns nothing and costs nothing.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// The entries that wait, by owner. Whoever adds entries bounds their number.
pub struct FairQueue<K, T> {
    /// All owners by the tag after their next entry, and by turn among equal tags. An owner without an entry stays
    /// until its tag is reached, so that it does not come back as a newcomer.
    order: BTreeMap<(u64, u64), K>,
    owners: HashMap<K, QueueOwner<T>>,
    /// The highest tag that was served or dropped. A newcomer begins with it.
    served: u64,
    /// Numbers the turns.
    turns: u64,
    length: usize,
}

struct QueueOwner<T> {
    /// The cost of its entries so far.
    tag: u64,
    /// Its key in the order.
    place: (u64, u64),
    /// The entries, with what each is expected to cost.
    waiting: VecDeque<(u64, T)>,
}

impl<K, T> Default for FairQueue<K, T> {
    fn default() -> Self {
        Self {
            order: BTreeMap::new(),
            owners: HashMap::new(),
            served: 0,
            turns: 0,
            length: 0,
        }
    }
}

impl<K: Copy + Eq + Hash, T> FairQueue<K, T> {
    /// Adds an entry that is expected to cost this much, behind those of the same owner.
    pub fn push(&mut self, owner: K, cost: u64, entry: T) {
        self.length += 1;
        let known = self.owners.get_mut(&owner);
        if let Some(known) = known.filter(|known| !known.waiting.is_empty()) {
            known.waiting.push_back((cost, entry));
        } else {
            let idle = self.take_out(owner);
            let tag = idle.map_or(0, |(tag, _)| tag).max(self.served);
            self.put(owner, tag, VecDeque::from([(cost, entry)]));
        }
    }

    /// Takes the next entry, and adds its expected cost to the tag of its owner.
    pub fn pop(&mut self) -> Option<(K, T)> {
        while let Some((_, &owner)) = self.order.first_key_value() {
            let (tag, mut waiting) = self.take_out(owner)?;
            self.served = self.served.max(tag);
            // Without an entry it is dropped: its tag is as low as a newcomer's.
            if let Some((cost, entry)) = waiting.pop_front() {
                self.length -= 1;
                self.put(owner, tag.saturating_add(cost), waiting);
                return Some((owner, entry));
            }
        }
        None
    }

    /// Replaces the expected cost of an entry that was taken, once the true one is known.
    pub fn correct(&mut self, owner: K, expected: u64, cost: u64) {
        // An owner who is not known any more has been passed by all others.
        if let Some((tag, waiting)) = self.take_out(owner) {
            let tag = tag.saturating_sub(expected).saturating_add(cost);
            self.put(owner, tag, waiting);
        }
    }

    /// The entries that wait.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if no entry waits.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The entries of this owner that wait.
    pub fn len_of(&self, owner: K) -> usize {
        self.owners.get(&owner).map_or(0, |it| it.waiting.len())
    }

    /// Takes an owner out of the order: its tag, and its entries.
    fn take_out(&mut self, owner: K) -> Option<(u64, VecDeque<(u64, T)>)> {
        let known = self.owners.remove(&owner)?;
        self.order.remove(&known.place);
        Some((known.tag, known.waiting))
    }

    fn put(&mut self, owner: K, tag: u64, waiting: VecDeque<(u64, T)>) {
        self.turns += 1;
        let next = waiting.front().map_or(0, |(cost, _)| *cost);
        let place = (tag.saturating_add(next), self.turns);
        self.order.insert(place, owner);
        let owned = QueueOwner {
            tag,
            place,
            waiting,
        };
        self.owners.insert(owner, owned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(queue: &mut FairQueue<char, ()>) -> Option<char> {
        queue.pop().map(|(owner, ())| owner)
    }

    /// The owners in the order in which they are served.
    fn served(queue: &mut FairQueue<char, ()>) -> String {
        std::iter::from_fn(|| next(queue)).collect()
    }

    fn push(queue: &mut FairQueue<char, ()>, owners: &str, cost: u64) {
        for owner in owners.chars() {
            queue.push(owner, cost, ());
        }
    }

    #[test]
    fn entries_of_equal_cost_are_served_in_rotation() {
        let mut queue = FairQueue::default();
        push(&mut queue, "aaaabbc", 1);
        assert_eq!((queue.len(), queue.len_of('a')), (7, 4));
        assert_eq!(served(&mut queue), "abcabaa");
        assert!(queue.is_empty());
    }

    #[test]
    fn shares_are_equal_by_cost_and_not_by_number() {
        let mut queue = FairQueue::default();
        push(&mut queue, "lll", 100);
        push(&mut queue, "sssssssss", 30);
        assert_eq!(served(&mut queue), "ssslssslsssl");
    }

    #[test]
    fn a_newcomer_is_served_before_those_who_have_had_much() {
        let mut queue = FairQueue::default();
        push(&mut queue, "abcabcabc", 100);
        let first: String = (0..4).filter_map(|_| next(&mut queue)).collect();
        assert_eq!(first, "abca");
        push(&mut queue, "n", 1);
        assert_eq!((next(&mut queue), next(&mut queue)), (Some('n'), Some('b')));
        // Its silence has earned it nothing, and nobody waits for more than its own share.
        push(&mut queue, "n", 500);
        assert_eq!(served(&mut queue), "cabcn");
    }

    /// Eight owners of long entries come at once. An owner of short ones was just served, so that its tag is higher.
    #[test]
    fn a_short_entry_does_not_wait_for_the_long_ones_of_many_newcomers() {
        let mut queue = FairQueue::default();
        push(&mut queue, "s", 3);
        assert_eq!(next(&mut queue), Some('s'));
        push(&mut queue, "abcdefgh", 50);
        push(&mut queue, "s", 3);
        assert_eq!(served(&mut queue), "sabcdefgh");
    }

    #[test]
    fn a_long_entry_is_served_however_many_newcomers_have_short_ones() {
        let mut queue = FairQueue::default();
        push(&mut queue, "l", 50);
        let newcomers = ('\u{4e00}'..).take_while(|newcomer| {
            queue.push(*newcomer, 1, ());
            next(&mut queue) == Some(*newcomer)
        });
        // Those that follow each other begin with one tag, so that there are twice as many as cost the same.
        assert!(newcomers.take(1_000).count() < 100);
    }

    #[test]
    fn the_true_cost_replaces_the_expected_one() {
        let mut queue = FairQueue::default();
        push(&mut queue, "aab", 100);
        assert_eq!(next(&mut queue), Some('a'));
        push(&mut queue, "b", 100);
        queue.correct('a', 100, 1);
        assert_eq!(served(&mut queue), "bab");
        queue.correct('z', 100, 1);
    }
}

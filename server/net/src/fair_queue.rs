//! A queue in which every owner gets an equal share of what is served, however much one of them asks for.
//!
//! Start-time fair queueing (Goyal, Vin and Cheng, 1996): an owner's tag is the sum of what its entries have
//! cost so far, and the owner with the lowest tag is served next. With equal costs this is a rotation. With
//! different costs it is one by cost: an owner of short entries passes by an owner of long ones. A newcomer
//! begins at the tag that is served at the moment, so that a silence earns nothing and costs nothing.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// The entries that wait, by owner. Whoever adds entries bounds their number.
pub struct FairQueue<K, T> {
    /// All owners by tag, and by turn among equal tags. An owner without an entry stays until its tag is
    /// reached, so that it does not come back as a newcomer.
    order: BTreeMap<(u64, u64), K>,
    owners: HashMap<K, QueueOwner<T>>,
    /// The tag of the owner that was served last.
    served: u64,
    /// Numbers the turns.
    turns: u64,
    length: usize,
}

struct QueueOwner<T> {
    /// The tag and the turn: its place in the order.
    place: (u64, u64),
    waiting: VecDeque<T>,
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
    /// Adds an entry behind those of the same owner.
    pub fn push(&mut self, owner: K, entry: T) {
        self.length += 1;
        if let Some(known) = self.owners.get_mut(&owner) {
            known.waiting.push_back(entry);
        } else {
            self.insert(owner, self.served, VecDeque::from([entry]));
        }
    }

    /// Takes the next entry, and adds its cost to the tag of its owner.
    pub fn pop(&mut self, cost: impl FnOnce(&T) -> u64) -> Option<(K, T)> {
        while let Some((_, owner)) = self.order.pop_first() {
            let Some(mut known) = self.owners.remove(&owner) else {
                continue;
            };
            let (tag, _) = known.place;
            // Without an entry it is dropped: its tag is as low as a newcomer's.
            if let Some(entry) = known.waiting.pop_front() {
                self.length -= 1;
                self.served = tag;
                let tag = tag.saturating_add(cost(&entry));
                self.insert(owner, tag, known.waiting);
                return Some((owner, entry));
            }
        }
        None
    }

    /// Replaces the cost of an entry that was taken, once the true one is known.
    pub fn correct(&mut self, owner: K, stated: u64, cost: u64) {
        // An owner who is not known any more has been passed by all others.
        if let Some(known) = self.owners.remove(&owner) {
            self.order.remove(&known.place);
            let tag = known.place.0.saturating_sub(stated).saturating_add(cost);
            self.insert(owner, tag, known.waiting);
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

    fn insert(&mut self, owner: K, tag: u64, waiting: VecDeque<T>) {
        self.turns += 1;
        let place = (tag, self.turns);
        self.order.insert(place, owner);
        self.owners.insert(owner, QueueOwner { place, waiting });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owners in the order in which a queue of entries is served. An entry is its cost.
    fn served(queue: &mut FairQueue<char, u64>) -> String {
        std::iter::from_fn(|| queue.pop(|cost| *cost))
            .map(|(owner, _)| owner)
            .collect()
    }

    #[test]
    fn entries_of_equal_cost_are_served_in_rotation() {
        let mut queue = FairQueue::default();
        for owner in "aaaabbc".chars() {
            queue.push(owner, 1);
        }
        assert_eq!((queue.len(), queue.len_of('a')), (7, 4));
        assert_eq!(served(&mut queue), "abcabaa");
        assert!(queue.is_empty());
    }

    #[test]
    fn shares_are_equal_by_cost_and_not_by_number() {
        let mut queue = FairQueue::default();
        for _ in 0..3 {
            queue.push('l', 100);
        }
        for _ in 0..9 {
            queue.push('s', 30);
        }
        assert_eq!(served(&mut queue), "lsssslssslss");
    }

    #[test]
    fn a_newcomer_is_served_before_those_who_have_had_much() {
        let mut queue = FairQueue::default();
        for _ in 0..3 {
            for (owner, cost) in [('a', 100), ('b', 101), ('c', 102)] {
                queue.push(owner, cost);
            }
        }
        let next = |queue: &mut FairQueue<char, u64>| queue.pop(|cost| *cost).unwrap().0;
        let first: String = (0..4).map(|_| next(&mut queue)).collect();
        assert_eq!(first, "abca");
        queue.push('n', 1);
        assert_eq!((next(&mut queue), next(&mut queue)), ('n', 'b'));
        // Its silence has earned it nothing, and nobody waits for more than its own share.
        queue.push('n', 500);
        assert_eq!(served(&mut queue), "ncabc");
    }

    #[test]
    fn the_true_cost_replaces_the_stated_one() {
        let mut queue = FairQueue::default();
        for owner in "aab".chars() {
            queue.push(owner, 100);
        }
        assert_eq!(queue.pop(|cost| *cost).unwrap().0, 'a');
        queue.push('b', 100);
        queue.correct('a', 100, 1);
        // Equal tags keep their turns; the next one is lower.
        assert_eq!(served(&mut queue), "bab");
        queue.correct('z', 100, 1);
    }
}

//! Numbers of 512 bits, modulo 2^512: as many as any count of eight numbers of 64 bits can have.

const LIMBS: usize = 8;

/// A number modulo 2^512, the lowest 64 bits first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wide([u64; LIMBS]);

impl Wide {
    pub const ONE: Wide = Wide([1, 0, 0, 0, 0, 0, 0, 0]);

    pub fn plus(self, other: Wide) -> Wide {
        let mut carry = false;
        let mut sum = self.0;
        for (limb, other) in sum.iter_mut().zip(other.0) {
            let (added, first) = limb.overflowing_add(other);
            let (added, second) = added.overflowing_add(carry.into());
            *limb = added;
            carry = first || second;
        }
        Wide(sum)
    }

    pub fn negated(self) -> Wide {
        Wide(self.0.map(|limb| !limb)).plus(Wide::ONE)
    }

    pub fn times(self, factor: u64) -> Wide {
        let mut carry = 0;
        Wide(self.0.map(|limb| {
            let product = u128::from(limb) * u128::from(factor) + carry;
            carry = product >> 64;
            product as u64
        }))
    }

    /// The number, if it is below 2^128.
    pub fn narrow(self) -> Option<u128> {
        let [low, high, rest @ ..] = self.0;
        (rest == [0; LIMBS - 2]).then_some(u128::from(high) << 64 | u128::from(low))
    }
}

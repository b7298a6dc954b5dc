//! Chains of blobs, each hanging from the one before by a bridge: what all chains that end early are worth.
//!
//! A chain that ends after its i-th blob adds 1 + (b₁ ⊕ (1 + (b₂ ⊕ … (1 + bᵢ)))) to what it hangs from. One by one these
//! take quadratic time. But read from the inside, all of them go through the same steps "xor b, plus 1", only that they
//! begin, with 0, at different steps. So their numbers are kept in a binary tree, the lowest bit at the root: "xor" is a
//! note at the root to swap children some time, and "plus 1" swaps the children along a single path.

/// A vertex of the tree: the numbers with certain lowest bits.
#[derive(Clone, Copy, Default)]
struct TrieNode {
    /// Those whose next bit is 0, and is 1; 0 if there are none.
    children: [u32; 2],
    /// The number with which the remaining bits of all of them are still to be xored.
    pending: u64,
}

/// The tree of numbers below 2^bits.
struct NumberTrie {
    bits: u32,
    nodes: Vec<TrieNode>,
}

impl NumberTrie {
    /// Settles what is pending at a node.
    fn settle(&mut self, node: usize) {
        let TrieNode { children, pending } = self.nodes[node];
        for child in children.into_iter().filter(|&child| child > 0) {
            self.nodes[child as usize].pending ^= pending >> 1;
        }
        self.nodes[node].pending = 0;
        if pending % 2 == 1 {
            self.nodes[node].children.swap(0, 1);
        }
    }

    /// Puts a 0 into the tree; the answer finds its number later, whatever has become of it.
    fn insert_zero(&mut self) -> usize {
        let mut node = 0;
        for _ in 0..self.bits {
            self.settle(node);
            let child = match self.nodes[node].children[0] {
                0 => {
                    self.nodes.push(TrieNode::default());
                    self.nodes.len() as u32 - 1
                }
                child => child,
            };
            self.nodes[node].children[0] = child;
            node = child as usize;
        }
        node
    }

    fn xor_all(&mut self, with: u64) {
        self.nodes[0].pending ^= with;
    }

    /// Adds 1 to all: the lowest bit turns, and where it was 1, one is carried.
    fn increment_all(&mut self) {
        let mut node = 0;
        for _ in 0..self.bits {
            self.settle(node);
            self.nodes[node].children.swap(0, 1);
            node = match self.nodes[node].children[0] {
                0 => return,
                carried => carried as usize,
            };
        }
    }

    /// The number at each leaf.
    fn read(mut self) -> Vec<u64> {
        let mut numbers = vec![0; self.nodes.len()];
        let mut depths = vec![0; self.nodes.len()];
        // A node is made before its children.
        for node in 0..self.nodes.len() {
            self.settle(node);
            for (bit, child) in (0..).zip(self.nodes[node].children.map(|child| child as usize)) {
                if child > 0 {
                    numbers[child] = numbers[node] | bit << depths[node];
                    depths[child] = depths[node] + 1;
                }
            }
        }
        numbers
    }
}

/// Returns what the chains of no blob, of the first blob, of the first two, …, of all blobs add to
/// the value below them. Each value must be below 2^bits. Takes time linear in the blobs times the
/// bits.
pub fn chains(blobs: &[u64], bits: u32) -> Vec<u64> {
    let mut numbers = NumberTrie {
        bits,
        nodes: vec![TrieNode::default()],
    };
    let mut leaves: Vec<usize> = Vec::with_capacity(blobs.len());
    for &blob in blobs.iter().rev() {
        leaves.push(numbers.insert_zero());
        numbers.xor_all(blob);
        numbers.increment_all();
    }
    let numbers = numbers.read();
    let ending = leaves.iter().rev().map(|&leaf| numbers[leaf]);
    std::iter::once(0).chain(ending).collect()
}

//! Stores with whole matches in them, as any players could have made them.

use fibfob_protocol::{GuestId, MatchId, Record};
use fibfob_wire_properties::generated_match;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use uuid::Uuid;

use fibfob_store::identity::TokenStamp;
use fibfob_store::{AppendError, IndexRow, Store};

/// The bytes that a match is generated from.
const BYTES: usize = 256;
/// The guests with renewed tokens.
pub const STAMPS: u64 = 5;

/// Returns the stamp of each of these guests. Their ids are numbers from one on.
pub fn stamp() -> TokenStamp {
    TokenStamp {
        generation: 3,
        nonce: 17,
    }
}

/// Fills an empty store with `matches` generated matches and with stamps, the same ones every time, and
/// returns the logs.
pub async fn fill(store: &Store, matches: usize) -> Vec<(MatchId, Vec<Record>)> {
    let mut rng = StdRng::seed_from_u64(4);
    let mut logs = Vec::new();
    while logs.len() < matches {
        let mut bytes = [0; BYTES];
        rng.fill_bytes(&mut bytes);
        let Some(generated) = generated_match(&bytes) else {
            continue;
        };
        let id = MatchId(uuid::Builder::from_random_bytes(rng.random()).into_uuid());
        let Ok(rows) = IndexRow::of_log(id, &generated.log) else {
            continue;
        };
        let (_, mut log) = store.open(id).await.unwrap();
        let mut is_stored = true;
        for (record, row) in generated.log.iter().zip(&rows) {
            match log.append(record, row.as_ref()).await {
                Ok(()) => {}
                // Two matches drew the same code.
                Err(AppendError::CodeTaken) => {
                    is_stored = false;
                    break;
                }
                Err(error) => panic!("{error}"),
            }
        }
        if is_stored {
            logs.push((id, generated.log));
        }
    }
    for guest in 1..=u128::from(STAMPS) {
        let guest = GuestId(Uuid::from_u128(guest));
        store.renew_token(guest, stamp()).await.unwrap();
    }
    logs
}

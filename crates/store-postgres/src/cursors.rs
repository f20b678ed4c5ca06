//! Cursors and leases of event readers in PostgreSQL. All times are the server's.

use std::time::Duration;

use cantata_store::Result;
use deadpool_postgres::Object;

use crate::query::{execute, from_bigint, query_opt, to_bigint};

const OPERATION: &str = "using the cursor of a reader";

pub(crate) async fn position(client: &Object, reader: &str) -> Result<u64> {
    let sql = "SELECT position FROM event_reader WHERE name = $1";
    let row = query_opt(client, OPERATION, sql, &[&reader]).await?;
    row.map_or(Ok(0), |row| from_bigint(row.get(0)))
}

pub(crate) async fn advance(client: &Object, reader: &str, holder: &str, to: u64) -> Result<bool> {
    let sql = "UPDATE event_reader SET position = greatest(position, $3)
             WHERE name = $1 AND holder = $2 AND leased_until > clock_timestamp()";
    Ok(execute(client, OPERATION, sql, &[&reader, &holder, &to_bigint(to)]).await? == 1)
}

pub(crate) async fn acquire_lease(client: &Object, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
    let sql = "INSERT INTO event_reader AS present (name, holder, leased_until)
             VALUES ($1, $2, clock_timestamp() + $3::double precision * interval '1 second')
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
             WHERE present.holder IS NULL OR present.holder = excluded.holder
                OR present.leased_until <= clock_timestamp()";
    Ok(execute(client, OPERATION, sql, &[&reader, &holder, &duration.as_secs_f64()]).await? == 1)
}

pub(crate) async fn release_lease(client: &Object, reader: &str, holder: &str) -> Result<()> {
    let sql = "UPDATE event_reader SET holder = NULL WHERE name = $1 AND holder = $2";
    execute(client, OPERATION, sql, &[&reader, &holder]).await.map(|_| ())
}

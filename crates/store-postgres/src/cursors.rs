//! Named readers of the events in PostgreSQL: how far each came, and who holds its lease. All times are the server's.

use std::time::Duration;

use cantata_store::Result;
use deadpool_postgres::Object;

use crate::analyses::{number, whole};
use crate::failure::{reading, writing};

const USING: &str = "using the cursor of a reader";

pub(crate) async fn position(client: &Object, reader: &str) -> Result<u64> {
    let select =
        client.prepare_cached("SELECT position FROM event_reader WHERE name = $1").await.map_err(reading(USING))?;
    let row = client.query_opt(&select, &[&reader]).await.map_err(reading(USING))?;
    row.map_or(Ok(0), |row| number(row.get(0)))
}

pub(crate) async fn move_to(client: &Object, reader: &str, holder: &str, to: u64) -> Result<bool> {
    let update = client
        .prepare_cached(
            "UPDATE event_reader SET position = greatest(position, $3)
             WHERE name = $1 AND holder = $2 AND leased_until > clock_timestamp()",
        )
        .await
        .map_err(reading(USING))?;
    let moved = client.execute(&update, &[&reader, &holder, &whole(to)]).await.map_err(writing(USING))?;
    Ok(moved == 1)
}

pub(crate) async fn lease(client: &Object, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
    let upsert = client
        .prepare_cached(
            "INSERT INTO event_reader AS present (name, holder, leased_until)
             VALUES ($1, $2, clock_timestamp() + $3::double precision * interval '1 second')
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
             WHERE present.holder IS NULL OR present.holder = excluded.holder
                OR present.leased_until <= clock_timestamp()",
        )
        .await
        .map_err(reading(USING))?;
    let leased = client.execute(&upsert, &[&reader, &holder, &duration.as_secs_f64()]).await.map_err(writing(USING))?;
    Ok(leased == 1)
}

pub(crate) async fn release(client: &Object, reader: &str, holder: &str) -> Result<()> {
    let update = client
        .prepare_cached("UPDATE event_reader SET holder = NULL WHERE name = $1 AND holder = $2")
        .await
        .map_err(reading(USING))?;
    client.execute(&update, &[&reader, &holder]).await.map(|_| ()).map_err(writing(USING))
}

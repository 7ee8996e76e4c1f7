import type { Migration } from './words.ts'

/** Has workspaces checked when keys expire that were made before such checks, and now where some have expired. */
export const migration: Migration = {
  name: '0091-keys-that-expire',
  up: ({ freshId, now }) => [
    `with time as (select ${now} as now)
      insert into job (workspace_id, id, kind, job_key, payload, run_at, scheduled_at, attempt, failures, created_at)
      select due.workspace_id, ${freshId}, 'credentials.ended', due.job_key, '{}', due.at, due.at, 0, 0, due.now
      from (
        select k.workspace_id, cast(k.id as text) as job_key, k.expires_at as at, time.now
          from api_key as k cross join time where k.expires_at > time.now
        union all
        select distinct k.workspace_id, 'now', time.now, time.now
          from api_key as k cross join time where k.expires_at <= time.now
      ) as due
      where true
      on conflict do nothing`,
  ],
  down: () => [],
}

/**
 * The statements that ask across workspaces: words that only one of them has, and why it does (docs/decisions/0142).
 * Everything else binds its workspace.
 */
export const acrossWorkspaces: readonly { readonly words: string; readonly why: string }[] = [
  // A request finds its workspace.
  { words: 'from "api_key" where "key_hash" = $1', why: 'An API key says which workspace it opens.' },
  { words: 'where "r"."key_hash" = $1', why: 'So does an earlier secret of it.' },
  { words: '"i"."token_hash" = $1', why: 'An invitation says which workspace it opens.' },
  { words: 'where "w"."slug" = $1 and "m"."user_id" = $2', why: 'A path has the slug of its workspace, not its id.' },

  // A person and what they have in all of their workspaces.
  { words: 'where "m"."user_id" = $1 order by "w"."slug"', why: 'A person chooses among their workspaces.' },
  { words: 'where "k"."user_id" = $1', why: 'A person sees their keys in all workspaces.' },
  { words: 'delete from api_key where user_id = $1', why: 'A person revokes their keys, everywhere.' },
  {
    words: 'select distinct "m"."workspace_id" from "oauth_consent"',
    why: 'An app ends in all workspaces that it was let into.',
  },

  // The job engine serves all workspaces, each by a claim of its own.
  { words: '"run_at" from "job"', why: 'A runner looks for due jobs.' },
  { words: 'with recursive "turn"', why: 'A runner looks for workspaces with due jobs.' },
  { words: 'from "job" where "leased_by" is not null', why: 'A runner looks for leases that have expired.' },
  { words: 'update "job" set "leased_at" = $1', why: 'A runner renews its leases, by the ids of their jobs.' },
  {
    words: 'select "id", "attempt" from "job" where "leased_by" = $1',
    why: 'A runner looks whether it still holds jobs whose leases it could not renew.',
  },
  { words: 'update job set leased_by = given.leased_by', why: 'A runner takes jobs back whose leases are lost.' },
  { words: 'select "scheduled_at" from "job"', why: 'A runner notices that the clock was set back.' },
  { words: '"scheduled_at" from "job" where', why: 'A runner looks for jobs that a clock set back has put off.' },
  { words: 'update job set run_at = given.run_at', why: 'A runner brings those jobs forward, by their keys.' },

  // Statements for the operator of an installation, who sees all workspaces as numbers.
  { words: 'min("run_at") as "oldest" from "job"', why: 'Metrics and `kontor doctor` count jobs.' },
  { words: 'min("created_at") as "oldest" from "outbox"', why: 'Metrics and `kontor doctor` count waiting events.' },
  { words: 'max(last_error) as error from job', why: '`kontor doctor` counts jobs that fail, by kind.' },
  {
    words: 'as position join event_head',
    why: 'Metrics and `kontor doctor` tell how far consumers are behind.',
  },
  { words: '"disabled_reason" as "reason"', why: 'Metrics and `kontor doctor` tell of webhooks that stopped.' },
  { words: 'sum("filled") as "filled"', why: '`kontor doctor` counts indexes.' },
  { words: '"i"."last_used_at" from "field_index_state"', why: '`kontor doctor` and `kontor indexes` list indexes.' },
  { words: 'count("m"."user_id") as "members"', why: '`kontor workspaces` counts members.' },

  // Upkeep looks for the workspaces that have something to do, and does it one workspace at a time.
  { words: 'with recursive turn (workspace_id)', why: 'Workspaces with unnumbered events, or with counters to fold.' },
  { words: 'select distinct "workspace_id" from "idempotency"', why: 'Workspaces with expired answers.' },
  { words: 'select distinct "workspace_id" from "event_head"', why: 'Workspaces with expired events.' },
  {
    words: 'select distinct "workspace_id" from "workflow',
    why: 'Workspaces with runs that ended long ago, requests that arrived long ago, or secrets under old keys.',
  },
  { words: 'select distinct "workspace_id" from "job"', why: 'Workspaces with jobs that failed long ago.' },
  {
    words: 'select distinct "workspace_id" from "notification',
    why: 'Workspaces with notifications that are old, or with digests that are due.',
  },
  { words: 'select distinct "workspace_id" from "async_task"', why: 'Workspaces with expired tasks.' },
  { words: 'select distinct "workspace_id" from "data_export"', why: 'Workspaces with expired exports.' },
  { words: 'select distinct "workspace_id" from "record_import"', why: 'Workspaces with expired imports.' },
  {
    words: 'select distinct "workspace_id" from "webhook',
    why: 'Workspaces with what webhooks sent long ago, or with old keys.',
  },
  { words: 'select distinct "workspace_id" from "record"', why: 'Workspaces with records that were deleted long ago.' },
  { words: 'select distinct "workspace_id" from "file"', why: 'Workspaces with files to discard.' },
  { words: 'select "workspace_id", "last_sequence" from "event_head"', why: 'The logs that streams follow.' },
  {
    words: 'from "event_cursor" as "c" inner join "event_head"',
    why: 'Workspaces with events that a consumer has not read.',
  },
]

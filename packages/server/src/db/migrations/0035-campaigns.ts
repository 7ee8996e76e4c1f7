import type { Migration, Words } from './words.ts'

/** What a workflow of type `sequence` has as a campaign; one without a row has what is so by default. */
const campaigns = ({ uuid, boolean, document, narrow }: Words): string =>
  `create table campaign (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    sending ${document} not null,
    ends_on_reply ${boolean} not null,
    enrolment_task_id ${uuid},
    primary key (workspace_id, workflow_id)
  ) ${narrow}`

/**
 * A person of a campaign, with the run that goes on or else the last: what lists of them are filtered and sorted by is
 * here, so that no page reads runs. `engagement` is a set of bits; `hidden` is what belongs to a deleted person.
 */
const recipients = ({ uuid, text, integer, boolean, timestamp, narrow }: Words): string[] => [
  `create table campaign_recipient (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    person_id ${uuid} not null,
    run_id ${uuid} not null,
    delivery ${text} not null,
    run_status ${text} not null,
    current_block ${text},
    resume_at ${timestamp},
    exit_plugin ${text},
    exit_node ${text},
    engagement ${integer} not null,
    has_unsubscribed ${boolean} not null,
    last_opened_at ${timestamp},
    last_clicked_at ${timestamp},
    last_replied_at ${timestamp},
    hidden ${boolean} not null,
    started_at ${timestamp},
    ended_at ${timestamp},
    created_at ${timestamp} not null,
    updated_at ${timestamp} not null,
    primary key (workspace_id, workflow_id, person_id)
  ) ${narrow}`,
  `create index campaign_recipient_in_order on campaign_recipient
    (workspace_id, workflow_id, hidden, created_at, person_id)`,
  `create index campaign_recipient_by_delivery on campaign_recipient
    (workspace_id, workflow_id, hidden, delivery, created_at, person_id)`,
  `create index campaign_recipient_engaged on campaign_recipient
    (workspace_id, workflow_id, hidden, created_at, person_id, engagement) where engagement > 0`,
  'create index campaign_recipient_of_run on campaign_recipient (workspace_id, run_id)',
  'create index campaign_recipient_of_person on campaign_recipient (workspace_id, person_id)',
]

export const migration: Migration = {
  name: '0035-campaigns',
  up: (words) => [
    campaigns(words),
    ...recipients(words),
    `alter table workflow_run add column is_enrolment ${words.boolean} not null default false`,
  ],
  down: () => [
    "delete from job where kind like 'campaigns.%'",
    "delete from record_count where object like 'recipients/%' or object like 'campaign/%'",
    "delete from record_count_delta where object like 'recipients/%' or object like 'campaign/%'",
    'alter table workflow_run drop column is_enrolment',
    'drop table campaign_recipient',
    'drop table campaign',
  ],
}

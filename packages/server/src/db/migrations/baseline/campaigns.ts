import type { Words } from '../words.ts'

const campaigns = ({ boolean, document, float, integer, narrow, text, timestamp, uuid }: Words): string[] => [
  // What a workflow of type `sequence` has as a campaign; one without a row has what is so by default.
  `create table campaign (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    sending ${document} not null,
    ends_on_reply ${boolean} not null,
    enrolment_task_id ${uuid},
    primary key (workspace_id, workflow_id)
  ) ${narrow}`,
  // How many e-mails of a campaign a day has, when the next one may go to a domain, and the places that steps have
  // taken: a step that is tried again has the same one.
  `create table campaign_day (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    day ${text} not null,
    taken ${integer} not null,
    primary key (workspace_id, workflow_id, day)
  ) ${narrow}`,
  `create table campaign_domain (
    workspace_id ${uuid} not null,
    workflow_id ${uuid} not null,
    domain ${text} not null,
    begins_at ${float} not null,
    primary key (workspace_id, workflow_id, domain)
  ) ${narrow}`,
  `create table campaign_place (
    workspace_id ${uuid} not null,
    run_id ${uuid} not null,
    step_key ${text} not null,
    day ${text} not null,
    due_at ${timestamp} not null,
    throttled ${boolean} not null,
    primary key (workspace_id, run_id, step_key)
  ) ${narrow}`,
]

const recipients = ({ boolean, integer, narrow, text, timestamp, uuid }: Words): string[] => [
  // A person of a campaign, with the run that goes on or else the last: what lists of them are filtered and sorted
  // by is here, so that no page reads runs. `engagement` is a set of bits; `hidden` is what belongs to a deleted
  // person.
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
    address ${text},
    last_sent_at ${timestamp},
    primary key (workspace_id, workflow_id, person_id)
  ) ${narrow}`,
  `create index campaign_recipient_in_order on campaign_recipient (workspace_id, workflow_id, hidden,
    created_at, person_id)`,
  `create index campaign_recipient_by_delivery on campaign_recipient (workspace_id, workflow_id, hidden,
    delivery, created_at, person_id)`,
  `create index campaign_recipient_engaged on campaign_recipient (workspace_id, workflow_id, hidden,
    created_at, person_id, engagement) where engagement > 0`,
  'create index campaign_recipient_of_run on campaign_recipient (workspace_id, run_id)',
  'create index campaign_recipient_of_person on campaign_recipient (workspace_id, person_id)',
  `create index campaign_recipient_of_address on campaign_recipient (workspace_id, workflow_id, address) where
    address is not null`,
]

const emails = ({ boolean, integer, json, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  // Letters that workflows write, and the addresses that a workspace may write to no more.
  `create table email (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    letter_key ${text} not null,
    email_state ${text} not null,
    in_sequence ${boolean} not null,
    person_id ${uuid},
    workflow_id ${uuid},
    run_id ${uuid},
    block ${text} not null,
    actor ${json} not null,
    recipients ${json} not null,
    left_out ${json} not null,
    sender ${text} not null,
    message_id ${text} not null,
    subject ${text} not null,
    body_text ${text} not null,
    body_html ${text},
    failure_detail ${text},
    bounce ${text},
    opens ${integer} not null,
    clicks ${integer} not null,
    created_at ${timestamp} not null,
    sent_at ${timestamp},
    opened_at ${timestamp},
    clicked_at ${timestamp},
    replied_at ${timestamp},
    bounced_at ${timestamp},
    unsubscribed_at ${timestamp},
    updated_at ${timestamp} not null,
    files ${json} not null default '[]',
    machine_opens ${integer} not null default 0,
    machine_clicks ${integer} not null default 0,
    machine_opened_at ${timestamp},
    machine_clicked_at ${timestamp},
    reached ${json} not null default '[]',
    primary key (workspace_id, id)
  ) ${wide}`,
  'create unique index email_key on email (workspace_id, letter_key)',
  'create index email_time on email (workspace_id, created_at, id)',
  'create index email_person on email (workspace_id, person_id, created_at, id)',
  'create index email_run on email (workspace_id, run_id)',
  'create index email_workflow on email (workspace_id, workflow_id, created_at, id)',
  // How many recipients the plain workflows of a workspace have e-mailed on its last day with any.
  `create table email_day (
    workspace_id ${uuid} not null,
    day ${text} not null,
    taken ${integer} not null,
    primary key (workspace_id)
  ) ${narrow}`,
  `create table suppression (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    address ${text} not null,
    reason ${text} not null,
    note ${text},
    email_id ${uuid},
    created_at ${timestamp} not null,
    created_by ${uuid},
    person_id ${uuid},
    primary key (workspace_id, id)
  ) ${narrow}`,
  'create index suppression_person on suppression (workspace_id, person_id) where person_id is not null',
  // Those that no member made count as made by the workspace: two nulls would be two makers.
  'create unique index suppression_address on suppression (workspace_id, address, coalesce(created_by, workspace_id))',
]

const meetings = ({ document, integer, narrow, text, timestamp, uuid, wide }: Words): string[] => [
  // Which meeting an occurrence of a calendar has become, and what comments carry.
  `create table calendar_entry (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    meeting_id ${uuid} not null,
    sequence ${integer} not null default 0,
    stamped_at ${timestamp},
    called_off_at ${timestamp},
    uid ${text},
    original ${timestamp},
    series_sequence ${integer},
    series_stamped_at ${timestamp},
    primary key (workspace_id, id)
  ) ${narrow}`,
  'create index calendar_entry_meeting on calendar_entry (workspace_id, meeting_id)',
  'create index calendar_entry_uid on calendar_entry (workspace_id, uid)',
  // Recordings of meetings, with what was said.
  `create table meeting_recording (
    workspace_id ${uuid} not null,
    id ${uuid} not null,
    meeting_id ${uuid} not null,
    source ${text} not null,
    transcript ${document} not null,
    ends_after_ms ${integer} not null,
    created_at ${timestamp} not null,
    created_by ${uuid} not null,
    updated_at ${timestamp} not null,
    upload_id ${uuid},
    media_id ${uuid},
    state ${text} not null default 'done',
    detail ${text},
    told ${text},
    primary key (workspace_id, id)
  ) ${wide}`,
  'create index meeting_recording_meeting on meeting_recording (workspace_id, meeting_id, id)',
  // Sound and film of recordings, and what of them is still to come; what was said, to be searched.
  `create table transcript_segment (
    workspace_id ${uuid} not null,
    recording_id ${uuid} not null,
    place ${integer} not null,
    meeting_id ${uuid} not null,
    speaker ${text},
    said ${text} not null,
    searched ${text} not null,
    starts_after_ms ${integer},
    primary key (workspace_id, recording_id, place)
  ) ${wide}`,
  'create index transcript_segment_meeting on transcript_segment (workspace_id, meeting_id)',
]

/** Campaigns, e-mails and meetings. */
export const campaignsTables = (words: Words): string[] => [
  ...campaigns(words),
  ...recipients(words),
  ...emails(words),
  ...meetings(words),
]

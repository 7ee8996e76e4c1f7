import { copiedTable, type CopiedTable } from '../../db/copied-tables.ts'

/**
 * The tables of a bundle, in the order in which they are restored: schemas before the records that they describe. A
 * bundle has their rows as they are stored, without secrets. `tables.test.ts` lists the others, with reasons.
 */
export const bundledTables: readonly CopiedTable[] = [
  copiedTable('schema_version', { name: 'schemas', key: ['object', 'version'] }),
  copiedTable('record', { name: 'records', key: ['id'], without: ['feed_end'] }),
  copiedTable('link', { name: 'links', key: ['relationship', 'from_id', 'to_id'] }),
  copiedTable('merged_record', { name: 'merged-records', key: ['merged_id'] }),
  copiedTable('activity', { name: 'activities', key: ['record_id', 'position', 'place'] }),
  copiedTable('comment', { name: 'comments', key: ['id'] }),
  copiedTable('access_grant', { name: 'grants', key: ['record_id', 'grantee_id'] }),
  copiedTable('list', { name: 'lists', key: ['id'], prepare: evaluated }),
  copiedTable('list_entry', { name: 'list-entries', key: ['list_id', 'record_id'] }),
  copiedTable('deleted_list', { name: 'deleted-lists', key: ['id'] }),
  copiedTable('layout', { name: 'layouts', key: ['layout_key'] }),
  copiedTable('meeting_recording', { name: 'recordings', key: ['id'] }),
  copiedTable('transcript_segment', { name: 'transcripts', key: ['recording_id', 'place'] }),
  copiedTable('calendar_entry', { name: 'calendar-entries', key: ['id'] }),
  copiedTable('suppression', { name: 'suppressions', key: ['id'] }),
  copiedTable('workflow', {
    name: 'workflows',
    key: ['id'],
    without: ['secret', 'secret_key', 'address_rotation'],
    prepare: stoppedWorkflow,
  }),
  copiedTable('workflow_version', { name: 'workflow-versions', key: ['workflow_id', 'version'] }),
  copiedTable('campaign', {
    name: 'campaigns',
    key: ['workflow_id'],
    prepare: (row) => ({ ...row, enrolment_task_id: null }),
  }),
  copiedTable('webhook', {
    name: 'webhooks',
    key: ['id'],
    without: ['secrets', 'secrets_key', 'old_secret_until', 'follows_from', 'sends_from', 'enabled_by', 'paused_until'],
    prepare: stoppedWebhook,
  }),
  copiedTable('event_cursor', {
    name: 'consumers',
    key: ['consumer'],
    without: ['sequence'],
    prepare: (row) => ({ ...row, sequence: 0 }),
  }),
  copiedTable('attachment', { name: 'attachments', key: ['id'] }),
  copiedTable('file', { name: 'files', key: ['id'], whereNull: 'discard_at' }),
]

type Row = Parameters<NonNullable<CopiedTable['prepare']>>[0]

/** No job evaluates the list in the new place: its entries are those of its last evaluation. */
function evaluated(row: Row): Row {
  return row['evaluation_status'] === 'evaluating' ? { ...row, evaluation_status: 'idle' } : row
}

/**
 * The credential with which it was enabled ends with its installation: who enables it anew is whom it acts for. A copy
 * must not send what the original sends.
 */
const endedCredential = 'credential_ended'

function stoppedWorkflow(row: Row): Row {
  if (row['enabled'] !== true) return row
  return { ...row, enabled: false, stopped_reason: endedCredential }
}

function stoppedWebhook(row: Row): Row {
  if (row['enabled'] !== true) return row
  return {
    ...row,
    enabled: false,
    disabled_reason: endedCredential,
    disabled_at: row['updated_at'],
    failing_since: null,
  }
}

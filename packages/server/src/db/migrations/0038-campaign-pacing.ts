import type { Migration } from './words.ts'

/**
 * How many e-mails of a campaign a day has, when the next one may go to a domain, and the places that steps have taken:
 * a step that is tried again has the same one.
 */
export const migration: Migration = {
  name: '0038-campaign-pacing',
  up: ({ uuid, text, integer, boolean, float, timestamp, narrow }) => [
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
  ],
  down: () => ['drop table campaign_place', 'drop table campaign_domain', 'drop table campaign_day'],
}

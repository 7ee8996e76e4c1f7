import type { Migration } from './words.ts'

/**
 * The address at which a campaign writes to a person, fixed when they are enrolled; whom an unsubscription suppresses
 * beside the address; and how often programs, not people, have looked at a letter.
 */
export const migration: Migration = {
  name: '0048-recipients',
  up: ({ uuid, text, integer, timestamp }) => [
    `alter table campaign_recipient add column address ${text}`,
    `create index campaign_recipient_of_address on campaign_recipient (workspace_id, workflow_id, address)
      where address is not null`,
    `alter table suppression add column person_id ${uuid}`,
    `update suppression set person_id =
       (select e.person_id from email as e
         where e.workspace_id = suppression.workspace_id and e.id = suppression.email_id)
     where reason = 'unsubscribed'`,
    'create index suppression_person on suppression (workspace_id, person_id) where person_id is not null',
    `alter table email add column machine_opens ${integer} not null default 0`,
    `alter table email add column machine_clicks ${integer} not null default 0`,
    `alter table email add column machine_opened_at ${timestamp}`,
    `alter table email add column machine_clicked_at ${timestamp}`,
  ],
  down: () => [
    'alter table email drop column machine_clicked_at',
    'alter table email drop column machine_opened_at',
    'alter table email drop column machine_clicks',
    'alter table email drop column machine_opens',
    'drop index suppression_person',
    'alter table suppression drop column person_id',
    'drop index campaign_recipient_of_address',
    'alter table campaign_recipient drop column address',
  ],
}

import type { Migration } from './words.ts'

/** When a person of a campaign was last sent a letter: how far a campaign is, is counted by it. */
export const migration: Migration = {
  name: '0058-sent-letters',
  up: ({ timestamp }) => [
    `alter table campaign_recipient add column last_sent_at ${timestamp}`,
    `update campaign_recipient set last_sent_at =
       (select max(e.sent_at) from email as e
         where e.workspace_id = campaign_recipient.workspace_id and e.run_id = campaign_recipient.run_id
           and e.email_state in ('sent', 'kept'))`,
  ],
  down: () => ['alter table campaign_recipient drop column last_sent_at'],
}

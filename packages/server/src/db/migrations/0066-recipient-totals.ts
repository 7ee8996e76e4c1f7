import type { Migration } from './words.ts'

/** How far a person is who is at the end of a campaign. */
const progress = `case when c.run_status = 'failed' then 'failed'
  when c.last_sent_at is not null then 'sent'
  when c.run_status = 'cancelled' and c.delivery <> 'unsubscribed' then 'failed'
  else 'suppressed' end`

const ofEnds = "object like 'recipients/%/%'"

/** How many people of a campaign have come to which end, under names behind that of all its people. */
export const migration: Migration = {
  name: '0066-recipient-totals',
  up: () => [
    `insert into record_count (workspace_id, object, total)
     select e.workspace_id, 'recipients/' || cast(e.workflow_id as text) || '/' || e.delivery || '/' || e.progress,
       count(*)
     from (
       select c.workspace_id, c.workflow_id, c.delivery, ${progress} as progress
       from campaign_recipient c where c.hidden = false and c.delivery <> 'active'
     ) as e
     group by e.workspace_id, e.workflow_id, e.delivery, e.progress`,
  ],
  down: () => [`delete from record_count where ${ofEnds}`, `delete from record_count_delta where ${ofEnds}`],
}

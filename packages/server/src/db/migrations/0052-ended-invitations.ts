import type { Migration } from './words.ts'

/** When an invitation ended because its inviter could no longer make it; and who registered the app of a workspace. */
export const migration: Migration = {
  name: '0052-ended-invitations',
  up: ({ uuid, timestamp }) => [
    `alter table invitation add column ended_at ${timestamp}`,
    `update invitation set ended_at = sent_at where not exists (
       select 1 from membership m
       where m.workspace_id = invitation.workspace_id and m.user_id = invitation.created_by and m.role = 'admin')`,
    `alter table oauth_client add column created_by ${uuid}`,
  ],
  down: () => ['alter table oauth_client drop column created_by', 'alter table invitation drop column ended_at'],
}

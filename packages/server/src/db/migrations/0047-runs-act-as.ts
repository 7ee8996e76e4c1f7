import type { Migration } from './words.ts'

const ofWorkflow = (column: string): string =>
  `(select w.${column} from workflow w
    where w.workspace_id = workflow_run.workspace_id and w.id = workflow_run.workflow_id)`

/**
 * As whom a run acts, which another who changes its workflow does not change; and the variables of conditions that a
 * step found no value for.
 */
export const migration: Migration = {
  name: '0047-runs-act-as',
  up: ({ uuid, json, document }) => [
    `alter table workflow_run add column acting_id ${uuid}`,
    `alter table workflow_run add column acting ${json}`,
    `update workflow_run set acting_id = ${ofWorkflow('owner_id')}, acting = ${ofWorkflow('actor')}`,
    `alter table workflow_step add column unresolved ${document}`,
  ],
  down: () => [
    'alter table workflow_step drop column unresolved',
    'alter table workflow_run drop column acting',
    'alter table workflow_run drop column acting_id',
  ],
}

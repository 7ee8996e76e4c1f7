import type { RunStatus } from '@kontor/contract'
import { keyedVerification } from '../../../engine/verification/keyed.ts'
import { openRows } from '../../../engine/verification/store.ts'
import type { Verification } from '../../../kernel/verification.ts'
import { counterDiscrepancies, listTotalsOf } from '../../counters/index.ts'
import { runKind } from '../kind.ts'
import { runsCounter } from '../store.ts'

const portionWorkflows = 20

/** Verifies the counters of the runs of workflows. */
const runCountVerification: Verification = {
  name: 'Run counts',
  isOfCounters: true,
  async verify(tx, { workspaceId, after, now }) {
    const workflows = await tx.query<{ id: string }>(({ knex }) => {
      const some = knex('workflow').select('id').where('workspace_id', workspaceId)
      if (after !== undefined) some.where('id', '>', after)
      return some.orderBy('id').limit(portionWorkflows)
    })
    const ids = workflows.map(({ id }) => id)
    const counted = await tx.query<{ workflow_id: string; runs: number }>(
      ({ knex, dialect }) =>
        knex('workflow_run')
          .select('workflow_id')
          .count('* as runs')
          .where('workspace_id', workspaceId)
          .where(dialect.oneOf('workflow_id', ids))
          .groupBy('workflow_id'),
      { heavy: 'scan' },
    )
    const actual = new Map(ids.map((id) => [runsCounter(id), 0]))
    for (const { workflow_id, runs } of counted) actual.set(runsCounter(workflow_id), runs)
    const stored = await listTotalsOf(tx, workspaceId, [...actual.keys()])
    return {
      checked: ids.length,
      discrepancies: counterDiscrepancies(workspaceId, actual, stored, now),
      next: ids.length < portionWorkflows ? undefined : ids.at(-1),
    }
  },
}

/** The states of runs that a job carries on with; a held run waits for somebody. */
const carriedOn = ['pending', 'running', 'retrying', 'waiting'] as const satisfies readonly RunStatus[]

/** Verifies that runs of workflows go on. */
const runJobVerification = keyedVerification({
  name: 'Runs without a job',
  kind: runKind,
  list: (tx, workspaceId, page) =>
    tx.query<{ id: string }>(({ knex }) =>
      openRows(knex('workflow_run').select('id').whereIn('run_status', carriedOn), workspaceId, page),
    ),
  payloadOf: ({ id }) => ({ run_id: id }),
})

export const runVerifications: readonly Verification[] = [runCountVerification, runJobVerification]

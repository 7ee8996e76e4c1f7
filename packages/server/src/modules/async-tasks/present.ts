import type { AsyncTaskResource, TaskState } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { mayTouch } from '../../kernel/authorise.ts'
import type { TaskRow } from './store.ts'

export const stateOf = ({ started_at, completed_at, failed_at, error_code }: TaskRow): TaskState => {
  if (error_code === 'cancelled') return 'cancelled'
  if (failed_at !== null) return 'failed'
  return completed_at !== null ? 'completed' : started_at === null ? 'queued' : 'running'
}

type Reader = Pick<WorkspaceReadContext, 'actor' | 'workspace'>

/**
 * Presents a task. The records that block it are shown only to admins, who see all of them, with credentials that cover
 * their object.
 */
export const presentTask = (row: TaskRow, { actor, workspace }: Reader): AsyncTaskResource =>
  resource('async-task', row.id, {
    _id: row.id,
    user_id: row.user_id,
    type: row.type,
    state: stateOf(row),
    progress: row.progress,
    total: row.total,
    metadata:
      workspace.role === 'admin' && mayTouch(actor, 'read', row.metadata.entity)
        ? row.metadata
        : withoutSamples(row.metadata),
    queued_at: isoTime(row.queued_at),
    started_at: isoTimeOrNull(row.started_at),
    completed_at: isoTimeOrNull(row.completed_at),
    failed_at: isoTimeOrNull(row.failed_at),
    error_code: row.error_code,
    _created_at: isoTime(row.queued_at),
    _updated_at: isoTime(row.updated_at),
  })

const withoutSamples = (metadata: TaskRow['metadata']): TaskRow['metadata'] =>
  metadata.errors === undefined
    ? metadata
    : { ...metadata, errors: metadata.errors.map((error) => ({ ...error, sample_ids: [] })) }

import type { AgentUndoResource } from '@kontor/contract'
import { resource } from '../../../kernel/resource.ts'
import { presentProgress } from '../../reverting/index.ts'
import type { UndoRow } from './store.ts'

export const presentUndo = (row: UndoRow): AgentUndoResource =>
  resource('agent-undo', row.run_id, {
    run_id: row.run_id,
    events: row.events_seen,
    ...presentProgress(row),
  })

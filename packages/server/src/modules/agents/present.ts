import type { AgentResource } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import type { Workflow } from '../definitions/index.ts'
import { taskOf } from './task.ts'

export const presentAgent = ({ row, graph }: Workflow): AgentResource =>
  resource('agent', row.id, {
    _id: row.id,
    name: row.name,
    description: row.description,
    owner_id: row.owner_id,
    ...taskOf(graph),
    enabled: row.enabled,
    scopes: [...row.actor.scopes],
    version: row.graph_version,
    stopped_reason: row.stopped_reason,
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  })

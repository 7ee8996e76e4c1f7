/** The columns of agents, as `tables` in `columns.ts` describes columns. */
export const agentTables = {
  agent_undo: {
    workspace_id: 'uuid',
    run_id: 'uuid',
    undo_state: 'text',
    actor: 'json',
    silent: 'boolean',
    undone_to: 'json?',
    events_seen: 'integer',
    events_reverted: 'integer',
    conflicts: 'document',
    conflict_count: 'integer',
    created_at: 'timestamp',
    created_by: 'uuid',
    ended_at: 'timestamp?',
  },
} as const

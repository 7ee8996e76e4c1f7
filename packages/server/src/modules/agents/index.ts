export { agentHandlers } from './handlers.ts'
export { agentBlock } from './blocks/agent-run.ts'
export { findHolder } from './owners.ts'
export { undoJob } from './undo/job.ts'

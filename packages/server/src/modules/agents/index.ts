export { agentHandlers } from './handlers.ts'
export { agentBlock } from './blocks/agent-run.ts'
export { findOwnerOfAgent } from './owners.ts'
export { undoJob } from './undo/job.ts'

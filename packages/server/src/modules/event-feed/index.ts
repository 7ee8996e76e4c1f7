export { eventHandlers } from './handlers.ts'
export { presentEvent } from './present.ts'
export { seenEvents, type KnownEvent } from './seen.ts'
export { EventHub } from './stream/hub.ts'

export { eventHandlers } from './handlers.ts'
export { presentEvent } from './present.ts'
export { seenEvents, type KnownEvent } from './seen.ts'
export { EventHub, type FollowerLimits } from './stream/hub.ts'

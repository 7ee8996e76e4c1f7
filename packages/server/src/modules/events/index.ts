export {
  cursorLags,
  findPosition,
  startFollowing,
  stopFollowing,
  type ConsumerFacts,
  type EventSubject,
} from './consumers/store.ts'
export { followLog, followSubjects, type EventConsumer } from './consumers/follow.ts'
export { listNewestHeads, type EventHead, type NewestRange } from './log/newest/store.ts'
export { findLogBounds, listEvents, listEventsAt, listHeads, readChanges, type LogBounds } from './log/read/store.ts'
export { eventUpkeep } from './log/store.ts'
export type { LoggedEvent } from './logged-event.ts'
export { findChangeMark, outboxFacts, outboxUpkeep, sequencesLater, writeOutbox } from './outbox/store.ts'
export { eventChangesVerification, eventVerification } from './verification/store.ts'
export { DatabaseChangeTimes } from './watermarks/store.ts'

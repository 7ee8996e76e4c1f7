export { cursorLags, type ConsumerFacts } from './consumers/facts/store.ts'
export { followLog, type EventConsumer } from './consumers/follow.ts'
export { listNewestHeads, type EventHead, type NewestRange } from './log/newest/store.ts'
export {
  type EventSubject,
  findPosition,
  listBehind,
  listUnreadSubjects,
  moveCursor,
  startFollowing,
  stopFollowing,
} from './consumers/store.ts'
export { findLogBounds, listEvents, listEventsAt, listHeads, readChanges, type LogBounds } from './log/read/store.ts'
export { eventUpkeep } from './log/store.ts'
export type { LoggedEvent } from './logged-event.ts'
export { findChangeMark, outboxFacts, outboxUpkeep, sequencesLater, topicOf, writeOutbox } from './outbox/store.ts'
export { eventChangesVerification, eventVerification } from './verification/store.ts'
export { indexEpochOf, renewIndexEpoch } from './watermarks/index-epoch/store.ts'
export { DatabaseChangeTimes } from './watermarks/store.ts'

export { eventUpkeep } from './log/store.ts'
export { findChangeMark, outboxFacts, outboxUpkeep, sequencesLater, writeOutbox } from './outbox/store.ts'
export { DatabaseChangeTimes } from './watermarks/store.ts'

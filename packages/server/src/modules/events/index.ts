export { trimEvents } from './log/store.ts'
export { outboxFacts, sequenceOutbox, sequencesLater, writeOutbox } from './outbox/store.ts'
export { DatabaseChangeTimes } from './watermarks/store.ts'

export { attachmentHandlers } from './handlers.ts'
export { placedAttachments, type FindPlaced } from './places.ts'
export { attachmentsOfRecord, attachmentsOfRecords } from './store.ts'

export {
  columnNames,
  columnOfKey,
  findColumn,
  indexKeysOf,
  isNumeric,
  isCollection,
  isSortable,
  isTime,
  listColumns,
  operatorsOf,
  type Column,
  type ReferenceGuard,
} from './columns.ts'
export {
  compileField,
  compileObject,
  findObject,
  indexedField,
  isToMany,
  linkEndOf,
  listObjects,
  objectAccess,
  otherEnd,
  relationshipFields,
  typeOf,
  uniqueName,
  type ObjectAccess,
  type ObjectModel,
} from './object.ts'
export { usersIn, usersNamedIn } from './people.ts'
export { keptMs } from './retention.ts'
export { recordColumns, type DeletedRow, type LinkRow, type RecordRow } from './row.ts'
export { fieldTitle, recordTitle } from './title.ts'
export { findRecord, listGone, listLive, listVisibleIds, lockRecords } from './store.ts'

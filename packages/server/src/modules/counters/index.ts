export {
  addToCount,
  addToCounts,
  counterUpkeep,
  foldsCounts,
  forgetCounts,
  forgetLinkCounts,
  linkCounter,
  linkTotalInSql,
  privateCounter,
  publicCounter,
  totalInSql,
  totalRecords,
} from './store.ts'

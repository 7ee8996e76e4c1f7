export {
  addToCount,
  addToCounts,
  foldCounts,
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

export { distribute, type DistributeOptions } from './distribute.ts'
export { distributionOf, isWhole, type Distribution } from './state.ts'

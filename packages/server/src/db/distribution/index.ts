export { distribute, type DistributeOptions } from './distribute.ts'
export { distributionOf, type Distribution } from './state.ts'

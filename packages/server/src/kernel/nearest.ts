export { suggestion } from '@kontor/contract'

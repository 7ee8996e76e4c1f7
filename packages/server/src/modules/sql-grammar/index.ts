export { Budget, kindOf, namesIn, only, refused } from './node.ts'
export { parse, type Node } from './parser.ts'
export { refusalFault, SqlRefusal } from './refusal.ts'

/** What the command line needs of the server where it describes the objects of files: no database, no network. */
export { describeDocuments } from './modules/descriptions/index.ts'

export {
  type Cluster,
  type Member,
  primaryOf,
  readCluster,
  readClusters,
  servingMembers,
  standbyName,
} from '../cluster/clusters';

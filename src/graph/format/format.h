/* format.h - graphs in files: edge list, adjacency table, NPY, JSON, DOT and GraphML.
 *
 * docs/reference/formats.md is the contract. Each format has a parser that works on bytes in
 * memory, whose messages name row, line or edge but not the file, and a writer into an output
 * stream. scone_graph_read and scone_graph_write (format.c) pick one and add the file's name.
 *
 * Rules that all formats share: names are not empty, hold no NUL and are unique; a node has no
 * edge to itself; saying the same edge twice is fine; saying two different things about a pair is
 * refused with both places named. Memory is bounded by the size of the file and by the limits
 * below and in text/limits.h, whatever the numbers in the file say.
 */
#ifndef SCONE_GRAPH_FORMAT_FORMAT_H
#define SCONE_GRAPH_FORMAT_FORMAT_H

#include "io/file.h"
#include "graph/graph.h"

enum {
    FORMAT_NODE_LIMIT = 65536,    /* node numbers fit 16 bits; 1.6 GB of bit sets */
    FORMAT_EDGE_LIMIT = 33554432, /* edges listed one by one, 8 bytes each while reading */
    FORMAT_NPY_NODE_LIMIT = 11584 /* N x N doubles within the limit of a file (text/limits.h) */
};

/* ---- parsers ---- */

scone_status graph_parse_edges(graph **out, const char *text, size_t size);
scone_status graph_parse_adjacency(graph **out, const char *text, size_t size);
scone_status graph_parse_npy(graph **out, const char *bytes, size_t size);
scone_status graph_parse_json(graph **out, const char *text, size_t size);
scone_status graph_parse_dot(graph **out, const char *text, size_t size);
scone_status graph_parse_graphml(graph **out, const char *text, size_t size);

/* Any of them; SCONE_GRAPH_AUTO looks at the content. */
scone_status graph_parse(graph **out, const char *bytes, size_t size, scone_graph_format format);

/* What the content looks like; a delimited file is an edge list if its header says so.
 * SCONE_GRAPH_AUTO, with the failure raised, if there is no telling. */
scone_graph_format graph_format_of_content(const char *bytes, size_t size);
/* What the name says ("a.graphml", "b.csv.gz"): SCONE_GRAPH_EDGES stands for any .csv or .tsv,
 * SCONE_GRAPH_AUTO for a name that says nothing. */
scone_graph_format graph_format_of_name(const char *path);

/* ---- writers ---- */

/* Walks over the edges in the order of source and target, an undirected edge once with its lower
 * node as the source: for (edge_cursor e = {0}; graph_next_edge(g, &e);) { e.source, ... } */
typedef struct edge_cursor {
    size_t source, target;
    bool undirected;
    size_t from; /* where the search goes on */
} edge_cursor;
bool graph_next_edge(const graph *g, edge_cursor *edge);

scone_status graph_write_edges(output_file *stream, const graph *g, char delimiter);
scone_status graph_write_adjacency(output_file *stream, const graph *g, char delimiter);
scone_status graph_write_npy(output_file *stream, const graph *g); /* without the names */
scone_status graph_write_json(output_file *stream, const graph *g);
scone_status graph_write_dot(output_file *stream, const graph *g);
scone_status graph_write_graphml(output_file *stream, const graph *g);

/* Any of them, comma-separated; not SCONE_GRAPH_AUTO. */
scone_status graph_write_stream(output_file *stream, const graph *g, scone_graph_format format);

#endif

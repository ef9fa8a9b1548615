package io.nvmf.tools.output;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A table with a head, columns as wide as they need to be. Columns of numbers stand to the right. */
public final class Table {
    private final List<String> head;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        this.head = List.of(head);
    }

    public Table row(String... cells) {
        if (cells.length != head.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + head.size() + " columns");
        }
        rows.add(List.of(cells));
        return this;
    }

    public void print(PrintStream out) {
        List<List<String>> all = new ArrayList<>();
        all.add(head);
        all.addAll(rows);
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < head.size(); column++) {
                line.append(column == 0 ? "" : "  ").append(pad(row.get(column), column));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private String pad(String cell, int column) {
        int width = head.get(column).length();
        boolean isNumeric = !rows.isEmpty();
        for (List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
            isNumeric &= !row.get(column).isEmpty()
                    && Character.isDigit(row.get(column).charAt(0));
        }
        String space = " ".repeat(width - cell.length());
        return isNumeric ? space + cell : cell + space;
    }
}

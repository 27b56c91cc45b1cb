// SPDX-License-Identifier: Apache-2.0
// conjugate_gradient: solves Poisson's equation on the unit square on a series of grids of 31 x 31
// to 1023 x 1023 points, each from the solution on the grid before (nested iteration), by
// conjugate gradients, and prints the reductions of it as a trace for worklist_gain. Each iteration
// has the dot product of direction and image, which is a sum of their products, the norm of the
// residual, and every tenth its largest entry. Ends with an error where the solution is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "reduction_log.hpp"

namespace {

using Vector = std::vector<double>;

/// A square grid of points inside the unit square, at whose border the solution is 0.
class Grid {
public:
    explicit Grid(std::size_t points) : points_(points), stride_(points + 2) {}

    [[nodiscard]] std::size_t points() const { return points_; }
    [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const {
        return row * stride_ + column;  // from 1 to points()
    }
    [[nodiscard]] Vector zeros() const { return Vector(stride_ * stride_); }
    [[nodiscard]] double at(std::size_t i) const {
        return static_cast<double>(i) / static_cast<double>(points_ + 1);
    }

    template <class Do>
    void for_each(const Do& each) const {
        for (std::size_t row = 1; row <= points_; ++row) {
            for (std::size_t column = 1; column <= points_; ++column) {
                each(place(row, column), row, column);
            }
        }
    }
    /// Applies the five-point stencil of the negative Laplacian to `x`. Leaves out the division by
    /// the squared width of a cell.
    void apply(const Vector& x, Vector& image) const {
        for_each([&](std::size_t i, std::size_t, std::size_t) {
            image[i] = 4 * x[i] - x[i - 1] - x[i + 1] - x[i - stride_] - x[i + stride_];
        });
    }
    /// Bilinear, from a grid of half as many cells.
    [[nodiscard]] Vector refined(const Grid& coarse, const Vector& x) const {
        Vector fine = zeros();
        for_each([&](std::size_t i, std::size_t row, std::size_t column) {
            const std::size_t up = row / 2, left = column / 2;
            fine[i] = (x[coarse.place(up, left)] + x[coarse.place(up + row % 2, left)] +
                       x[coarse.place(up, left + column % 2)] +
                       x[coarse.place(up + row % 2, left + column % 2)]) /
                      4;
        });
        return fine;
    }

private:
    std::size_t points_;
    std::size_t stride_;
};

class Solver {
public:
    Solver(const Grid& grid, jitune::bench::ReductionLog& log) : grid_(grid), log_(log) {}

    /// Improves `x` until the norm of the residual is `limit` times that of the right side.
    void solve(const Vector& right, Vector& x, double limit) {
        Vector image = grid_.zeros();
        grid_.apply(x, image);
        Vector residual = grid_.zeros();
        grid_.for_each(
            [&](std::size_t i, std::size_t, std::size_t) { residual[i] = right[i] - image[i]; });
        Vector direction = residual;
        constexpr double kDiverged = 1e6;
        const double enough = limit * limit * squares(right);
        double before = squares(residual);
        for (int iteration = 0; before > enough; ++iteration) {
            grid_.apply(direction, image);
            const double step = before / dot(direction, image);
            grid_.for_each([&](std::size_t i, std::size_t, std::size_t) {
                x[i] += step * direction[i];
                residual[i] -= step * image[i];
            });
            const double now = squares(residual);
            if (iteration % 10 == 9 && largest(residual) > kDiverged) {
                throw std::runtime_error("the iteration diverges");
            }
            grid_.for_each([&](std::size_t i, std::size_t, std::size_t) {
                direction[i] = residual[i] + now / before * direction[i];
            });
            before = now;
        }
    }

private:
    void log(const char* op) { log_.all(grid_.points() * grid_.points(), "float64", op); }
    double dot(const Vector& a, const Vector& b) {
        log("sum");
        double sum = 0;
        grid_.for_each([&](std::size_t i, std::size_t, std::size_t) { sum += a[i] * b[i]; });
        return sum;
    }
    double squares(const Vector& a) {
        log("sum_of_squares");
        double sum = 0;
        grid_.for_each([&](std::size_t i, std::size_t, std::size_t) { sum += a[i] * a[i]; });
        return sum;
    }
    double largest(const Vector& a) {
        log("max_abs");
        double most = 0;
        grid_.for_each([&](std::size_t i, std::size_t, std::size_t) {
            most = std::max(most, std::abs(a[i]));
        });
        return most;
    }

    const Grid& grid_;
    jitune::bench::ReductionLog& log_;
};

}  // namespace

int main() try {
    constexpr double kPi = std::numbers::pi;
    jitune::bench::ReductionLog log("bench/traces/conjugate_gradient.cpp");
    Grid grid(31);
    Vector x = grid.zeros();
    double error = 0;
    for (;;) {
        const double cell = 1 / static_cast<double>(grid.points() + 1);
        Vector right = grid.zeros();
        const auto solution = [&](std::size_t row, std::size_t column) {
            return std::sin(kPi * grid.at(row)) * std::sin(3 * kPi * grid.at(column)) +
                   grid.at(row) * (1 - grid.at(row)) * std::sin(7 * kPi * grid.at(column));
        };
        grid.for_each([&](std::size_t i, std::size_t row, std::size_t column) {
            const double y = grid.at(row);
            right[i] = cell * cell *
                       (10 * kPi * kPi * std::sin(kPi * y) * std::sin(3 * kPi * grid.at(column)) +
                        (2 + 49 * kPi * kPi * y * (1 - y)) * std::sin(7 * kPi * grid.at(column)));
        });
        Solver(grid, log).solve(right, x, 1e-8);
        error = 0;
        grid.for_each([&](std::size_t i, std::size_t row, std::size_t column) {
            error = std::max(error, std::abs(x[i] - solution(row, column)));
        });
        if (grid.points() >= 1023) {
            break;
        }
        const Grid fine(2 * grid.points() + 1);
        x = fine.refined(grid, x);
        grid = fine;
    }
    if (error > 1e-4) {
        std::fprintf(stderr, "the solution is off by %g\n", error);
        return 1;
    }
    log.print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
